/** What the tests use of npm's smpp, which has no types. */
declare module "smpp" {
  import type net from "node:net";

  interface SmppPdu {
    command: string;
    command_status: number;
    sequence_number: number;
    system_id: string;
    password: string;
    interface_version: number;
    source_addr: string;
    source_addr_ton: number;
    destination_addr: string;
    esm_class: number;
    data_coding: number;
    registered_delivery: number;
    short_message: { message: string | Buffer; udh?: Buffer[] };
    response: (fields?: object) => SmppPdu;
    [field: string]: unknown;
  }
  interface SmppSession {
    on: (event: string, heard: (pdu: SmppPdu) => void) => void;
    send: (pdu: SmppPdu) => boolean;
    deliver_sm: (fields: object, answered?: (pdu: SmppPdu) => void) => boolean;
    pause: () => void;
    resume: () => void;
    destroy: () => void;
  }
  const smpp: {
    createServer: (options: { key?: string; cert?: string }, heard: (session: SmppSession) => void) => net.Server;
    addTLV: (name: string, definition: object) => void;
    types: { tlv: { string: object; cstring: object } };
  };
  export default smpp;
  export type { SmppPdu, SmppSession };
}
