/** The parts of the library that are used here: its binary protocol over a buffer. */
declare module "thrift" {
  class TBufferedTransport {
    constructor(buffer: undefined, onFlush: (data: Buffer) => void);
    static receiver(callback: (transport: TBufferedTransport) => void): (data: Buffer) => void;
    commitPosition(): void;
    rollbackPosition(): void;
    flush(): void;
  }

  interface FieldHeader {
    readonly ftype: number;
    readonly fid: number;
  }

  class TBinaryProtocol {
    constructor(transport: TBufferedTransport, strictRead?: boolean, strictWrite?: boolean);
    writeMessageBegin(name: string, type: number, sequence: number): void;
    writeMessageEnd(): void;
    writeStructBegin(name: string): void;
    writeStructEnd(): void;
    writeFieldBegin(name: string, type: number, id: number): void;
    writeFieldEnd(): void;
    writeFieldStop(): void;
    writeMapBegin(key: number, value: number, size: number): void;
    writeMapEnd(): void;
    writeListBegin(type: number, size: number): void;
    writeListEnd(): void;
    writeBool(value: boolean): void;
    writeI16(value: number): void;
    writeI32(value: number): void;
    writeString(value: string): void;
    readMessageBegin(): { readonly fname: string; readonly mtype: number; readonly rseqid: number };
    readMessageEnd(): void;
    readStructBegin(): void;
    readStructEnd(): void;
    readFieldBegin(): FieldHeader;
    readFieldEnd(): void;
    readMapBegin(): { readonly ktype: number; readonly vtype: number; readonly size: number };
    readMapEnd(): void;
    readListBegin(): { readonly etype: number; readonly size: number };
    readListEnd(): void;
    readSetBegin(): { readonly etype: number; readonly size: number };
    readSetEnd(): void;
    readBool(): boolean;
    readByte(): number;
    readI16(): number;
    readI32(): number;
    readI64(): { valueOf(): number };
    readDouble(): number;
    readString(): string;
  }

  const thrift: {
    TBufferedTransport: typeof TBufferedTransport;
    TBinaryProtocol: typeof TBinaryProtocol;
    Thrift: {
      Type: Readonly<Record<string, number>>;
      MessageType: { readonly CALL: number; readonly REPLY: number; readonly EXCEPTION: number };
    };
  };

  export { TBinaryProtocol, TBufferedTransport };
  export default thrift;
}
