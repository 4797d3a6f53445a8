/** Equality of JSON values, whatever the order of members and the prototypes of objects. */

function membersOf(value: object): readonly [string, unknown][] {
  return Object.entries(value).filter(([, member]) => member !== undefined);
}

/** True when both values are written as the same JSON; an undefined member is an absent one. */
export function sameJson(left: unknown, right: unknown): boolean {
  // `===` takes 0 and -0 as one, as their JSON text does.
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
