/** Values of Thrift: those that are written say their type, those that are read are told apart by it. */

import thrift, { type TBinaryProtocol } from "thrift";

const { Type } = thrift.Thrift;

const code = (name: string): number => Type[name] ?? 0;
const BOOL = code("BOOL");
const BYTE = code("BYTE");
const DOUBLE = code("DOUBLE");
const I16 = code("I16");
const I32 = code("I32");
const I64 = code("I64");
const STRING = code("STRING");
const STRUCT = code("STRUCT");
const MAP = code("MAP");
const SET = code("SET");
const LIST = code("LIST");

/** A value to write. */
export interface Written {
  readonly type: number;
  readonly write: (protocol: TBinaryProtocol) => void;
}

/** A value that was read. */
type Read = boolean | number | string | readonly Read[] | ReadonlyMap<Read, Read> | ReadStruct;

/** The fields of a struct that was read, by their numbers. */
export class ReadStruct {
  readonly #fields: ReadonlyMap<number, Read>;

  constructor(fields: ReadonlyMap<number, Read>) {
    this.#fields = fields;
  }

  get(field: number): Read | undefined {
    return this.#fields.get(field);
  }

  /** A text; "" where it is absent. */
  text(field: number): string {
    const value = this.get(field);
    return typeof value === "string" ? value : "";
  }

  /** A number; 0 where it is absent. */
  number(field: number): number {
    const value = this.get(field);
    return typeof value === "number" ? value : 0;
  }

  /** A struct; an empty one where it is absent. */
  struct(field: number): ReadStruct {
    const value = this.get(field);
    return value instanceof ReadStruct ? value : new ReadStruct(new Map());
  }

  /** A list; empty where it is absent. */
  list(field: number): readonly Read[] {
    const value = this.get(field);
    return Array.isArray(value) ? value : [];
  }

  /** A list of structs. */
  structs(field: number): readonly ReadStruct[] {
    return this.list(field).filter((one): one is ReadStruct => one instanceof ReadStruct);
  }

  /** A map of texts. */
  texts(field: number): ReadonlyMap<string, string> {
    const value = this.get(field);
    const entries = value instanceof Map ? [...(value as ReadonlyMap<Read, Read>)] : [];
    return new Map(entries.map(([key, one]) => [String(key), String(one)]));
  }
}

export const text = (value: string): Written => ({ type: STRING, write: (to) => to.writeString(value) });
export const bool = (value: boolean): Written => ({ type: BOOL, write: (to) => to.writeBool(value) });
export const int32 = (value: number): Written => ({ type: I32, write: (to) => to.writeI32(value) });
export const int16 = (value: number): Written => ({ type: I16, write: (to) => to.writeI16(value) });

/** A list whose values are of one type. */
export function list(type: "text" | "struct", values: readonly Written[]): Written {
  return {
    type: LIST,
    write: (to) => {
      to.writeListBegin(type === "text" ? STRING : STRUCT, values.length);
      for (const value of values) value.write(to);
      to.writeListEnd();
    },
  };
}

/** A map of texts. */
export function textMap(values: ReadonlyMap<string, string>): Written {
  return {
    type: MAP,
    write: (to) => {
      to.writeMapBegin(STRING, STRING, values.size);
      for (const [key, value] of values) {
        to.writeString(key);
        to.writeString(value);
      }
      to.writeMapEnd();
    },
  };
}

/** A struct with fields by their numbers; absent ones are left out. */
export function struct(fields: readonly (readonly [number, Written | undefined])[]): Written {
  return {
    type: STRUCT,
    write: (to) => {
      to.writeStructBegin("");
      for (const [id, value] of fields) {
        if (value === undefined) continue;
        to.writeFieldBegin("", value.type, id);
        value.write(to);
        to.writeFieldEnd();
      }
      to.writeFieldStop();
      to.writeStructEnd();
    },
  };
}

/** Reads a struct, whatever it holds. */
export function readStruct(from: TBinaryProtocol): ReadStruct {
  const fields = new Map<number, Read>();
  from.readStructBegin();
  for (;;) {
    const { ftype, fid } = from.readFieldBegin();
    if (ftype === 0) break;
    fields.set(fid, readValue(from, ftype));
    from.readFieldEnd();
  }
  from.readStructEnd();
  return new ReadStruct(fields);
}

const SCALARS: ReadonlyMap<number, (from: TBinaryProtocol) => Read> = new Map<
  number,
  (from: TBinaryProtocol) => Read
>([
  [BOOL, (from) => from.readBool()],
  [BYTE, (from) => from.readByte()],
  [I16, (from) => from.readI16()],
  [I32, (from) => from.readI32()],
  [I64, (from) => Number(from.readI64().valueOf())],
  [DOUBLE, (from) => from.readDouble()],
  [STRING, (from) => from.readString()],
  [STRUCT, readStruct],
]);

function readValue(from: TBinaryProtocol, type: number): Read {
  const scalar = SCALARS.get(type);
  if (scalar !== undefined) return scalar(from);
  if (type === MAP) {
    const { ktype, vtype, size } = from.readMapBegin();
    const map = new Map<Read, Read>();
    for (let index = 0; index < size; index += 1) map.set(readValue(from, ktype), readValue(from, vtype));
    from.readMapEnd();
    return map;
  }
  if (type !== LIST && type !== SET) throw new Error(`the metastore answered with a value of type ${type}`);
  const { etype, size } = type === LIST ? from.readListBegin() : from.readSetBegin();
  const values: Read[] = [];
  for (let index = 0; index < size; index += 1) values.push(readValue(from, etype));
  if (type === LIST) from.readListEnd();
  else from.readSetEnd();
  return values;
}
