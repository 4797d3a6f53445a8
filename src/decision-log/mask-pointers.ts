/** The JSON pointers of `authorizer.decision_log.mask`, in which `*` stands for every member. */

/** The members of a record of which other places tell, too: reports, and spans of traces. */
export type ToldPart = "subject" | "caller" | "action" | "resource" | "operation" | "required";

/** The segments of a pointer. */
export function segments(pointer: string): readonly string[] {
  return pointer
    .slice(1)
    .split("/")
    .map((segment) => segment.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** True where what stands at the place is masked: the path leads to it, or to what it is in. */
export function covers(path: readonly string[], place: readonly string[]): boolean {
  return path.length <= place.length && path.every((one, index) => one === "*" || one === place[index]);
}

/** True where some mask names the part of a record, or something in it, of the record itself or of its items. */
export function masksPart(masks: readonly string[], part: ToldPart): boolean {
  return masks.some((mask) => {
    if (!mask.startsWith("/")) return false;
    const path = segments(mask);
    const [first] = path[0] === "items" ? path.slice(2) : path;
    return first === "*" || first === part;
  });
}
