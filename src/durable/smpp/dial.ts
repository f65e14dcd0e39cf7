import { connect } from "cloudflare:sockets";
import type { SmppSettings } from "../../smpp/settings.ts";
import type { Wire } from "./link.ts";

/** Opens a connection to a carrier. */
export type Dial = (to: Pick<SmppSettings, "host" | "port" | "tls">) => Wire;

/** By the platform's sockets: a deployed Worker reaches public addresses only, and has no fixed one itself. */
export const dial: Dial = ({ host, port, tls }) =>
  connect({ hostname: host, port }, { secureTransport: tls ? "on" : "off", allowHalfOpen: false });
