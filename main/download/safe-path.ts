/** Names that Windows keeps for devices, with any extension. */
const RESERVED = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(\.|$)/i;

/**
 * Why a path that came from elsewhere must not be joined to a folder of ours, or undefined where it may be: it has to stay
 * inside the folder, and has to mean the same file on every system.
 */
export function unsafePath(path: string): string | undefined {
  if (path === '') return 'is empty';
  if (path.length > 400) return 'is too long';
  if (/[\u0000-\u001f\u007f]/.test(path)) return 'has control characters';
  if (path.includes('\\')) return 'has a backslash';
  if (path.startsWith('/')) return 'is absolute';
  if (/[:<>"|?*]/.test(path)) return 'has a character that not every system allows';
  for (const part of path.split('/')) {
    if (part === '' || part === '.' || part === '..') return 'leads out of the folder';
    if (/[. ]$/.test(part)) return 'has a part that ends in a dot or a space';
    if (RESERVED.test(part)) return 'has a name that is reserved on Windows';
  }
  return undefined;
}

/** Whether a path leaves its folder on some system. No model has a reason to hold one, needed or not. */
export function isEscaping(path: string): boolean {
  return (
    path === '' ||
    /[\u0000\\]/.test(path) ||
    /^[a-z]:/i.test(path) ||
    path.split('/').some((part) => part === '' || part === '.' || part === '..')
  );
}

/** Two paths that would be one file where upper and lower case are the same, or undefined. */
export function caseCollision(paths: readonly string[]): [string, string] | undefined {
  const seen = new Map<string, string>();
  for (const path of paths) {
    const key = path.normalize('NFC').toLowerCase();
    const other = seen.get(key);
    if (other !== undefined) return [other, path];
    seen.set(key, path);
  }
  return undefined;
}

/** A text from elsewhere, fit to be shown in one line of a terminal. */
export function shown(text: string): string {
  return JSON.stringify(text.length > 120 ? `${text.slice(0, 120)}…` : text);
}
