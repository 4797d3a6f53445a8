/** Asks as Envoy does, over gRPC. */

import { Client, credentials, Metadata, type ServiceError } from "@grpc/grpc-js";
import { fromJSON, type MessageTypeDefinition } from "@grpc/proto-loader";
import { AUTHORIZATION, DEFINITIONS, HEADER_MAP, HEALTH } from "../../../src/api/ext-authz/messages.ts";

const DEFINED = fromJSON(DEFINITIONS as never, { arrays: true, defaults: true, keepCase: true });

interface Method {
  readonly path: string;
  readonly requestSerialize: (value: object) => Buffer;
  readonly responseDeserialize: (bytes: Buffer) => unknown;
}

const methodOf = (service: string, name: string): Method =>
  (DEFINED[service] as unknown as Record<string, Method>)[name] as Method;

/** A message of headers as Envoy encodes it. */
export function encoded(headers: object): Buffer {
  return (DEFINED[HEADER_MAP] as MessageTypeDefinition<object, object>).serialize(headers);
}

export interface Asked {
  readonly method?: string;
  readonly path?: string;
  readonly host?: string;
  readonly headers?: readonly (readonly [string, string])[];
  readonly source?: string;
  /** Sends the map of headers that Envoy sends without encode_raw_headers. */
  readonly joined?: boolean;
}

export interface CheckAnswer {
  readonly status: { readonly code: number };
  readonly ok_response?: {
    readonly headers: readonly { readonly header: { readonly key: string; readonly value: string } }[];
    readonly headers_to_remove: readonly string[];
  } | null;
  readonly denied_response?: {
    readonly status: { readonly code: number };
    readonly headers: readonly { readonly header: { readonly key: string; readonly value: string } }[];
    readonly body: string;
  } | null;
}

export class EnvoyClient {
  readonly client: Client;

  constructor(address: string, secured = credentials.createInsecure()) {
    this.client = new Client(address, secured);
  }

  check(
    asked: Asked,
    metadata: Readonly<Record<string, string>>,
    deadline = Date.now() + 60_000,
  ): Promise<CheckAnswer> {
    const {
      method = "GET",
      path = "/",
      host = "data.example.com",
      headers = [],
      source = "192.0.2.7",
    } = asked;
    // Envoy lists the pseudo headers, too.
    const listed = [[":path", path] as const, ...headers].map(([key, value]) => ({
      key,
      raw_value: Buffer.from(value, "latin1"),
    }));
    const http = {
      method,
      path,
      host,
      ...(asked.joined === true ? {} : { header_map: encoded({ headers: listed }) }),
    };
    const attributes = {
      source: { address: { socket_address: { address: source } } },
      request: { http },
    };
    return this.#ask(methodOf(AUTHORIZATION, "Check"), { attributes }, metadata, deadline);
  }

  health(service: string): Promise<{ status: number }> {
    return this.#ask(methodOf(HEALTH, "Check"), { service }, {}, Date.now() + 60_000);
  }

  watch(service: string, heard: (status: number) => void): Promise<void> {
    const { path, requestSerialize, responseDeserialize } = methodOf(HEALTH, "Watch");
    const stream = this.client.makeServerStreamRequest(
      path,
      requestSerialize,
      responseDeserialize as (bytes: Buffer) => { status: number },
      { service },
    );
    stream.on("data", ({ status }: { status: number }) => heard(status));
    return new Promise((resolve) => stream.on("end", resolve).on("error", () => resolve()));
  }

  #ask<T>(
    { path, requestSerialize, responseDeserialize }: Method,
    message: object,
    values: Readonly<Record<string, string>>,
    deadline: number,
  ): Promise<T> {
    const metadata = new Metadata();
    for (const [name, value] of Object.entries(values)) metadata.set(name, value);
    return new Promise((resolve, reject) => {
      this.client.makeUnaryRequest(
        path,
        requestSerialize,
        responseDeserialize as (bytes: Buffer) => T,
        message,
        metadata,
        { deadline },
        (error: ServiceError | null, answer?: T) => (error === null ? resolve(answer as T) : reject(error)),
      );
    });
  }

  close(): void {
    this.client.close();
  }
}
