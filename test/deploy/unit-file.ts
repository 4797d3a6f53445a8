/** A systemd unit: section, then item, then its values in order (an item may stand more than once). */
type UnitFile = ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>;

/** Reads a unit file. Throws on a line that is no section, comment or assignment, and on one outside a section. */
export function parseUnitFile(text: string): UnitFile {
  const unit = new Map<string, Map<string, string[]>>();
  let section: Map<string, string[]> | undefined;
  for (const line of text.replaceAll(/\\\n\s*/g, " ").split("\n")) {
    const heading = /^\[(\w+)\]$/.exec(line)?.[1];
    const [, name, value] = /^([A-Za-z]+)=(.*)$/.exec(line) ?? [];
    if (heading !== undefined) {
      section = new Map();
      unit.set(heading, section);
    } else if (name !== undefined && section !== undefined) {
      section.set(name, [...(section.get(name) ?? []), value ?? ""]);
    } else if (line.trim() !== "" && !line.startsWith("#")) {
      throw new Error(`not understood: ${line}`);
    }
  }
  return unit;
}
