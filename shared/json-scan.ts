import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  END,
  MINUS,
  NEWLINE,
  NINE,
  OPEN_BRACE,
  OPEN_BRACKET,
  PLUS,
  POINT,
  QUOTE,
  RETURN,
  SPACE,
  TAB,
  ZERO,
  hex,
  isHexDigit,
  isWordByte,
  positionIn,
  shownAt,
  utf8Length,
} from './json-bytes.ts';
import { KeyTable } from './json-keys.ts';
import { JSON_REASONS, type JsonLimits } from './json-rules.ts';
import { type PathStep, type Problem, formatPath, quoted } from './problem.ts';

/** In place of a key's id, while the next key of an object has not been read. */
const NO_KEY = -1;

/** Thrown inside the scanner only: carries the problem out of the nested checks. */
class Stop extends Error {
  readonly problem: Problem;
  constructor(problem: Problem) {
    super(problem.reason);
    this.problem = problem;
  }
}

/** Checks bytes from `start` on against JSON's grammar and the limits; the one problem that was met first, or null. */
export function scanJson(bytes: Uint8Array, start: number, limits: JsonLimits): Problem | null {
  return new Scanner(bytes, start, limits).scan();
}

class Scanner {
  private readonly bytes: Uint8Array;
  private readonly limits: JsonLimits;
  private readonly start: number;
  private readonly keys: KeyTable;
  private at: number;
  private values = 0;
  private containers = 0;
  /** For each open list the index of its present item, for each open object the id of its present key; and which it is. */
  private readonly steps: number[] = [];
  private readonly isObject: boolean[] = [];
  private readonly openedAt: number[] = [];

  constructor(bytes: Uint8Array, start: number, limits: JsonLimits) {
    this.bytes = bytes;
    this.start = start;
    this.at = start;
    this.limits = limits;
    this.keys = new KeyTable(bytes);
  }

  scan(): Problem | null {
    try {
      this.document();
      return null;
    } catch (error) {
      if (error instanceof Stop) return error.problem;
      throw error;
    }
  }

  private document(): void {
    if (this.bytes.length === this.start) throw new Stop({ path: '', reason: JSON_REASONS.empty });
    const [first, second] = this.bytes;
    if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) {
      throw new Stop({ path: '', reason: JSON_REASONS.encoding, figures: 'it begins as UTF-16 text does' });
    }
    if (this.skipSpace() === END) throw new Stop({ path: '', reason: JSON_REASONS.empty, figures: 'only white space' });
    this.valueAndAfter();
    if (this.skipSpace() !== END) this.unexpected('the end of the file');
  }

  /** One value and, without recursion, all that it holds. */
  private valueAndAfter(): void {
    for (;;) {
      let complete = this.value();
      while (complete) {
        if (this.isObject.length === 0) return;
        complete = this.afterMember();
      }
    }
  }

  /** Reads a scalar (true), or opens a container and stops before its first value (false); empty containers are read. */
  private value(): boolean {
    this.values += 1;
    if (this.values > this.limits.values) this.tooMany('values', this.limits.values);
    const byte = this.skipSpace();
    if (byte === QUOTE) {
      this.string();
      return true;
    }
    if (byte === MINUS || (byte >= ZERO && byte <= NINE)) {
      this.number(byte);
      return true;
    }
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) return this.open(byte === OPEN_BRACE);
    this.literal();
    return true;
  }

  private open(object: boolean): boolean {
    this.containers += 1;
    if (this.containers > this.limits.containers) this.tooMany('objects and lists', this.limits.containers);
    if (this.isObject.length >= this.limits.depth) {
      this.stop(JSON_REASONS.depth, `at most ${this.limits.depth} levels, a further one opens at ${this.position()}`);
    }
    this.openedAt.push(this.at);
    this.at += 1;
    const next = this.skipSpace();
    if (next === (object ? CLOSE_BRACE : CLOSE_BRACKET)) {
      this.at += 1;
      this.openedAt.pop();
      return true;
    }
    this.isObject.push(object);
    this.steps.push(object ? NO_KEY : 0);
    if (object) {
      this.keys.openObject();
      this.key('a key in quotation marks or "}"');
    }
    return false;
  }

  /** After a value inside a container: a comma and the next key (false), or the end of the container (true). */
  private afterMember(): boolean {
    const depth = this.isObject.length - 1;
    const object = this.isObject[depth] === true;
    const byte = this.skipSpace();
    if (byte === COMMA) {
      this.at += 1;
      if (object) {
        this.steps[depth] = NO_KEY;
        this.skipSpace();
        this.key('a key in quotation marks');
      } else {
        this.steps[depth] = (this.steps[depth] ?? 0) + 1;
      }
      return false;
    }
    if (byte !== (object ? CLOSE_BRACE : CLOSE_BRACKET)) this.unexpected(object ? '"," or "}"' : '"," or "]"');
    this.at += 1;
    this.isObject.pop();
    this.steps.pop();
    this.openedAt.pop();
    if (object) this.keys.closeObject();
    return true;
  }

  private key(expected: string): void {
    if (this.byte() !== QUOTE) this.unexpected(expected);
    const from = this.at;
    const escaped = this.string();
    if (this.at - from - 2 > this.limits.keyBytes) {
      this.at = from;
      this.stop(JSON_REASONS.size, `the key at ${this.position()} is longer than ${this.limits.keyBytes} bytes`);
    }
    const id = this.keys.idOf(from, this.at, escaped);
    if (this.keys.size > this.limits.distinctKeys) this.tooMany('different keys', this.limits.distinctKeys);
    this.steps[this.steps.length - 1] = id;
    if (!this.keys.add(id)) {
      this.at = from;
      this.stop(JSON_REASONS.duplicateKey, `${quoted(this.keys.name(id))} again at ${this.position()}`);
    }
    if (this.skipSpace() !== COLON) this.unexpected('":" after the key');
    this.at += 1;
  }

  /** Reads a string with its quotation marks; true when it holds an escape. */
  private string(): boolean {
    const opened = this.at;
    let escaped = false;
    this.at += 1;
    for (;;) {
      const byte = this.byte();
      if (byte === QUOTE) break;
      if (byte === BACKSLASH) {
        escaped = true;
        this.escape();
      } else if (byte >= 0x80) {
        this.multibyte(byte);
      } else if (byte >= SPACE) {
        this.at += 1;
      } else if (byte === END) {
        this.at = opened;
        this.stop(JSON_REASONS.syntax, `the file ends inside the string that opens at ${this.position()}`);
      } else {
        this.stop(
          JSON_REASONS.syntax,
          `${this.position()}: line breaks and control characters in a string must be escaped`,
        );
      }
    }
    this.at += 1;
    return escaped;
  }

  private escape(): void {
    this.at += 1;
    const byte = this.byte();
    if (byte === 0x75) {
      for (let digit = 0; digit < 4; digit += 1) {
        this.at += 1;
        if (!isHexDigit(this.byte())) this.unexpected('four hexadecimal digits after "\\u"');
      }
    } else if (byte === END || !'"\\/bfnrt'.includes(String.fromCharCode(byte))) {
      this.unexpected('one of " \\ / b f n r t u after "\\"');
    }
    this.at += 1;
  }

  private multibyte(lead: number): void {
    const length = utf8Length(this.bytes, this.at);
    if (length === 0) this.stop(JSON_REASONS.encoding, `an invalid byte, ${hex(lead)}, at ${this.position()}`);
    this.at += length;
  }

  private number(first: number): void {
    let byte = first;
    if (byte === MINUS) {
      byte = this.advance();
      if (byte === 0x49 && this.follows('Infinity')) this.bareword('-Infinity');
    }
    if (byte === ZERO) byte = this.advance();
    else byte = this.digits(byte);
    if (byte === POINT) byte = this.digits(this.advance());
    if (byte === 0x65 || byte === 0x45) {
      byte = this.advance();
      if (byte === PLUS || byte === MINUS) byte = this.advance();
      byte = this.digits(byte);
    }
    // What may follow is checked by the caller; these could only be a number that is written wrongly.
    if (byte === POINT || byte === MINUS || byte === PLUS || (byte >= ZERO && byte <= NINE)) {
      this.unexpected('a number without leading zeros or a second sign or point');
    }
  }

  private digits(first: number): number {
    let byte = first;
    if (!(byte >= ZERO && byte <= NINE)) this.unexpected('a digit');
    while (byte >= ZERO && byte <= NINE) byte = this.advance();
    return byte;
  }

  private literal(): void {
    if (this.follows('true') || this.follows('false') || this.follows('null')) return;
    for (const word of ['NaN', 'Infinity']) if (this.follows(word)) this.bareword(word);
    this.unexpected('a value');
  }

  private bareword(word: string): never {
    this.at -= word.length;
    this.stop(JSON_REASONS.bareword, `found ${word} at ${this.position()}`);
  }

  /** Reads the word if it stands here and no letter or digit follows it. */
  private follows(word: string): boolean {
    for (let index = 0; index < word.length; index += 1) {
      if (this.bytes[this.at + index] !== word.charCodeAt(index)) return false;
    }
    const after = this.bytes[this.at + word.length] ?? SPACE;
    if (isWordByte(after)) return false;
    this.at += word.length;
    return true;
  }

  private byte(): number {
    return this.bytes[this.at] ?? END;
  }

  private advance(): number {
    this.at += 1;
    return this.bytes[this.at] ?? END;
  }

  private skipSpace(): number {
    let byte = this.byte();
    while (byte === SPACE || byte === NEWLINE || byte === RETURN || byte === TAB) byte = this.advance();
    return byte;
  }

  private unexpected(expected: string): never {
    const byte = this.byte();
    if (byte === END) {
      const opened = this.openedAt.at(-1);
      let inside = '';
      if (opened !== undefined) {
        this.at = opened;
        inside = `, inside the ${this.bytes[opened] === OPEN_BRACE ? 'object' : 'list'} that opens at ${this.position()}`;
      }
      this.stop(JSON_REASONS.syntax, `the file ends where ${expected} is expected${inside}`);
    }
    this.stop(
      JSON_REASONS.syntax,
      `${this.position()}: found ${shownAt(this.bytes, this.at)} where ${expected} is expected`,
    );
  }

  private tooMany(what: string, limit: number): never {
    this.stop(JSON_REASONS.size, `more than ${limit} ${what} by ${this.position()}`);
  }

  private stop(reason: string, figures: string): never {
    throw new Stop({ path: this.path(), reason, figures });
  }

  private path(): string {
    const steps: PathStep[] = [];
    this.isObject.forEach((object, depth) => {
      const step = this.steps[depth] ?? 0;
      if (!object) steps.push(step);
      else if (step !== NO_KEY) steps.push(this.keys.name(step));
    });
    return formatPath(steps);
  }

  private position(): string {
    return positionIn(this.bytes, this.start, this.at);
  }
}
