/**
 * The messages of `envoy.service.auth.v3.Authorization` and of gRPC's health service, as far as they are read and
 * written here: names and numbers of fields as Envoy and gRPC publish them. Fields that are not listed are passed over
 * (among them the bodies of requests, which decide nothing). Names of messages do not go over the wire.
 */

/** Name of Envoy's service, for paths and health. */
export const AUTHORIZATION = "envoy.service.auth.v3.Authorization";
/** Name of the message of headers. */
export const HEADER_MAP = "envoy.service.auth.v3.HeaderMap";
/** Name of gRPC's health service. */
export const HEALTH = "grpc.health.v1.Health";

const string = (id: number) => ({ type: "string", id });
const int32 = (id: number) => ({ type: "int32", id });
const message = (type: string, id: number) => ({ type, id });
const list = (type: string, id: number) => ({ rule: "repeated", type, id });

/** The definitions, for `fromJSON` of protobufjs. */
export const DEFINITIONS = {
  nested: {
    "envoy.service.auth.v3": {
      nested: {
        Authorization: {
          methods: { Check: { requestType: "CheckRequest", responseType: "CheckResponse" } },
        },
        CheckRequest: { fields: { attributes: message("AttributeContext", 1) } },
        AttributeContext: { fields: { source: message("Peer", 1), request: message("Request", 4) } },
        Peer: { fields: { address: message("Address", 1) } },
        Address: { fields: { socket_address: message("SocketAddress", 1) } },
        SocketAddress: { fields: { address: string(2) } },
        Request: { fields: { http: message("HttpRequest", 2) } },
        HttpRequest: {
          fields: {
            method: string(2),
            path: string(4),
            host: string(5),
            // A HeaderMap: it is decoded when it was cut (`header-map.ts`).
            header_map: { type: "bytes", id: 13 },
          },
        },
        HeaderMap: { fields: { headers: list("HeaderValue", 1) } },
        HeaderValue: { fields: { key: string(1), value: string(2), raw_value: { type: "bytes", id: 3 } } },
        CheckResponse: {
          oneofs: { http_response: { oneof: ["denied_response", "ok_response"] } },
          fields: {
            status: message("Status", 1),
            denied_response: message("DeniedHttpResponse", 2),
            ok_response: message("OkHttpResponse", 3),
          },
        },
        Status: { fields: { code: int32(1), message: string(2) } },
        DeniedHttpResponse: {
          fields: {
            status: message("HttpStatus", 1),
            headers: list("HeaderValueOption", 2),
            body: string(3),
          },
        },
        OkHttpResponse: {
          fields: { headers: list("HeaderValueOption", 2), headers_to_remove: list("string", 5) },
        },
        HttpStatus: { fields: { code: int32(1) } },
        HeaderValueOption: { fields: { header: message("HeaderValue", 1), append_action: int32(3) } },
      },
    },
    "grpc.health.v1": {
      nested: {
        Health: {
          methods: {
            Check: { requestType: "HealthCheckRequest", responseType: "HealthCheckResponse" },
            Watch: {
              requestType: "HealthCheckRequest",
              responseType: "HealthCheckResponse",
              responseStream: true,
            },
          },
        },
        HealthCheckRequest: { fields: { service: string(1) } },
        HealthCheckResponse: { fields: { status: int32(1) } },
      },
    },
  },
};

/** A header of a message. */
export interface HeaderValue {
  readonly key: string;
  readonly value: string;
  readonly raw_value: Buffer;
}

/** A question of Envoy. What is absent is null. */
export interface CheckRequest {
  readonly attributes: {
    readonly source: {
      readonly address: { readonly socket_address: { readonly address: string } | null } | null;
    } | null;
    readonly request: {
      readonly http: {
        readonly method: string;
        readonly path: string;
        readonly host: string;
        /** `isCut`: there are more headers than a request may have. */
        readonly header_map:
          | { readonly headers: readonly HeaderValue[]; readonly isCut?: boolean }
          | null
          | undefined;
      } | null;
    } | null;
  } | null;
}

/** A header of an answer. */
export interface HeaderValueOption {
  readonly header: Pick<HeaderValue, "key" | "value">;
  /** 2: overwrites a header of that name, else adds it. */
  readonly append_action: 2;
}

/** The answer. */
export interface CheckResponse {
  /** 0: the request may pass; 7 and 16: it may not. */
  readonly status: { readonly code: 0 | 7 | 16; readonly message?: string };
  readonly ok_response?: {
    readonly headers: readonly HeaderValueOption[];
    readonly headers_to_remove: readonly string[];
  };
  readonly denied_response?: {
    readonly status: { readonly code: number };
    readonly headers: readonly HeaderValueOption[];
    readonly body: string;
  };
}
