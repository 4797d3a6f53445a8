/** Equality of JSON values, independent of the order of members and the prototypes of objects. */

function membersOf(value: object): readonly [string, unknown][] {
  return Object.entries(value).filter(([, member]) => member !== undefined);
}

/** True if both values have the same JSON. An undefined member equals an absent one. */
export function sameJson(left: unknown, right: unknown): boolean {
  // `===` equates 0 and -0, as their JSON texts do.
  if (left === right) return true;
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return false;
  if (Array.isArray(left) || Array.isArray(right)) {
    if (!Array.isArray(left) || !Array.isArray(right) || left.length !== right.length) return false;
    return left.every((item, index) => sameJson(item, right[index]));
  }
  const members = membersOf(left);
  if (members.length !== membersOf(right).length) return false;
  return members.every(
    ([name, member]) => Object.hasOwn(right, name) && sameJson(member, Reflect.get(right, name)),
  );
}
