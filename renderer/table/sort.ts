export interface Sorting {
  readonly column: string;
  readonly descending: boolean;
}

/** The order of the rows: their indices. What is not known comes last, whichever way; equals keep their order. */
export function sortedIndices<T>(
  rows: readonly T[],
  key: (row: T) => number | string | null,
  descending: boolean,
): number[] {
  const keys = rows.map(key);
  return rows
    .map((_, index) => index)
    .sort((left, right) => {
      const [a, b] = [keys[left] ?? null, keys[right] ?? null];
      if (a === null || b === null) return a === b ? left - right : a === null ? 1 : -1;
      const order = typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b), 'en');
      return order === 0 ? left - right : descending ? -order : order;
    });
}

/** The next state of a header that is clicked: ascending, descending, as recorded. */
export function nextSorting(now: Sorting | null, column: string): Sorting | null {
  if (now?.column !== column) return { column, descending: false };
  return now.descending ? null : { column, descending: true };
}
