/**
 * The keys met in a JSON text, each with a small number for its id, so that a key that comes a million times costs no
 * memory after the first; and which of them the open objects have already used.
 */
export class KeyTable {
  private readonly bytes: Uint8Array;
  /** The id of each key by its decoded name: "a" and "\u0061" are one key. */
  private readonly ids = new Map<string, number>();
  private readonly names: string[] = [];
  /** Open addressing over the bytes of a key: where a spelling was first met, how long it was, and its id. */
  private slots = new Int32Array(1024).fill(-1);
  private readonly spellings: { from: number; length: number; hash: number; id: number }[] = [];
  /** Which open object (by serial number) used a key last, and the stack that restores it when that object closes. */
  private readonly lastUser: number[] = [];
  private readonly usedKeys: number[] = [];
  private readonly usersBefore: number[] = [];
  private readonly objects: { serial: number; firstUse: number }[] = [];
  private serial = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  /** How many different keys were met, counting each spelling. */
  get size(): number {
    return this.spellings.length;
  }

  name(id: number): string {
    return this.names[id] ?? '';
  }

  openObject(): void {
    this.serial += 1;
    this.objects.push({ serial: this.serial, firstUse: this.usedKeys.length });
  }

  closeObject(): void {
    const firstUse = this.objects.pop()?.firstUse ?? 0;
    while (this.usedKeys.length > firstUse) {
      const id = this.usedKeys.pop() ?? 0;
      this.lastUser[id] = this.usersBefore.pop() ?? 0;
    }
  }

  /** Marks the key as used by the innermost open object; false if that object has it already. */
  add(id: number): boolean {
    const serial = this.objects.at(-1)?.serial ?? 0;
    const before = this.lastUser[id] ?? 0;
    if (before === serial) return false;
    this.usedKeys.push(id);
    this.usersBefore.push(before);
    this.lastUser[id] = serial;
    return true;
  }

  /** The id of the key at these bytes, quotation marks included, which the caller has found to be a valid string. */
  idOf(from: number, to: number, escaped: boolean): number {
    const length = to - from;
    // FNV-1a, 32 bits.
    let hash = 0x811c9dc5;
    for (let at = from; at < to; at += 1) hash = Math.imul(hash ^ (this.bytes[at] ?? 0), 0x01000193);
    let slot = this.slotOf(hash);
    for (;;) {
      const index = this.slots[slot] ?? -1;
      if (index < 0) break;
      const spelling = this.spellings[index];
      if (spelling !== undefined && spelling.hash === hash && this.same(spelling, from, length)) return spelling.id;
      slot = (slot + 1) & (this.slots.length - 1);
    }
    const name = escaped ? unescaped(this.text(from, to)) : this.text(from + 1, to - 1);
    let id = this.ids.get(name);
    if (id === undefined) {
      id = this.names.length;
      this.ids.set(name, id);
      this.names.push(name);
    }
    this.slots[slot] = this.spellings.length;
    this.spellings.push({ from, length, hash, id });
    if (this.spellings.length * 2 > this.slots.length) this.grow();
    return id;
  }

  private slotOf(hash: number): number {
    return (hash ^ (hash >>> 15)) & (this.slots.length - 1);
  }

  private same(spelling: { from: number; length: number }, from: number, length: number): boolean {
    if (spelling.length !== length) return false;
    for (let index = 0; index < length; index += 1) {
      if (this.bytes[spelling.from + index] !== this.bytes[from + index]) return false;
    }
    return true;
  }

  private grow(): void {
    this.slots = new Int32Array(this.slots.length * 2).fill(-1);
    this.spellings.forEach(({ hash }, index) => {
      let slot = this.slotOf(hash);
      while ((this.slots[slot] ?? -1) >= 0) slot = (slot + 1) & (this.slots.length - 1);
      this.slots[slot] = index;
    });
  }

  /** Valid UTF-8 as text. */
  private text(from: number, to: number): string {
    let text = '';
    let at = from;
    while (at < to) {
      const lead = this.bytes[at] ?? 0;
      const length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
      let point = length === 1 ? lead : lead & (0xff >> (length + 1));
      for (let index = 1; index < length; index += 1) point = (point << 6) | ((this.bytes[at + index] ?? 0) & 0x3f);
      text += String.fromCodePoint(point);
      at += length;
    }
    return text;
  }
}

function unescaped(text: string): string {
  const value: unknown = JSON.parse(text);
  return String(value);
}
