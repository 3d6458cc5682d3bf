/** A step that turns the value of a record of one version into the next version's. It must keep fields it does not know. */
type Upgrade = (value: unknown) => unknown;

/**
 * UPGRADES[n] leads from version n to n + 1; a test holds their number to RECORD_VERSION. From 0, the reference lab's
 * records, to 1 no field changes: version 1 only adds fields, all of them optional.
 */
export const UPGRADES: readonly Upgrade[] = [(value) => value];

/** The value in the shape of the present version. A record that needs no change is returned as it is. */
export function upgradeRecord(value: unknown, from: number): unknown {
  return UPGRADES.slice(from).reduce((current, upgrade) => upgrade(current), value);
}
