import net from "node:net";

// Requests byte by byte, as no well-behaved client would send them.

/** A request as it goes over the wire, in pieces with pauses between them. */
export interface WireRequest {
  pieces: Buffer[];
  pauseMs: number;
}

export interface WireReply {
  /** 0: the service closed the connection without a reply. */
  status: number;
  headers: Map<string, string>;
  body: string;
  /** From the last byte of the request to the last of the reply. */
  tookMs: number;
}

function unchunked(bytes: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf("\r\n", at);
    const size = end < 0 ? 0 : Number.parseInt(bytes.toString("latin1", at, end), 16);
    if (!(size > 0)) break;
    parts.push(bytes.subarray(end + 2, end + 2 + size));
    at = end + 2 + size + 2;
  }
  return Buffer.concat(parts);
}

function parseReply(bytes: Buffer): Omit<WireReply, "tookMs"> {
  const end = bytes.indexOf("\r\n\r\n");
  if (end < 0) return { status: 0, headers: new Map(), body: "" };
  const [first = "", ...lines] = bytes.toString("latin1", 0, end).split("\r\n");
  const headers = new Map(
    lines.map((line) => [line.split(":")[0]?.toLowerCase() ?? "", line.replace(/^[^:]*: */u, "")]),
  );
  const rest = bytes.subarray(end + 4);
  // An interim reply stands before the one that counts.
  if (first.split(" ")[1]?.startsWith("1")) return parseReply(rest);
  const body = headers.get("transfer-encoding") === "chunked" ? unchunked(rest) : rest;
  return { status: Number(first.split(" ")[1]), headers, body: body.toString("utf8") };
}

/** Whether a reply has come whole. */
function isWhole(bytes: Buffer): boolean {
  const end = bytes.indexOf("\r\n\r\n");
  if (end < 0) return false;
  const head = bytes.toString("latin1", 0, end).toLowerCase();
  const length = /content-length: *(\d+)/u.exec(head)?.[1];
  if (length !== undefined) return bytes.length >= end + 4 + Number(length);
  return head.includes("transfer-encoding: chunked") && bytes.subarray(-5).toString("latin1") === "0\r\n\r\n";
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Sends a request and reads what comes back, for as long as `giveUpMs` after the last byte. */
export function exchange(port: number, { pieces, pauseMs }: WireRequest, giveUpMs: number): Promise<WireReply> {
  return new Promise((resolve) => {
    const socket = net.connect({ host: "127.0.0.1", port });
    const chunks: Buffer[] = [];
    let sentAt = performance.now();
    const finish = () => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ ...parseReply(Buffer.concat(chunks)), tookMs: performance.now() - sentAt });
    };
    let timer = setTimeout(finish, giveUpMs);
    socket.on("data", (chunk) => {
      chunks.push(chunk);
      if (isWhole(Buffer.concat(chunks))) finish();
    });
    // A service that refuses a body early closes while it is still being sent.
    socket.on("error", finish);
    socket.on("close", finish);
    const write = async () => {
      for (const [at, piece] of pieces.entries()) {
        if (at > 0) await pause(pauseMs);
        if (socket.destroyed) return;
        socket.write(piece);
      }
      sentAt = performance.now();
      clearTimeout(timer);
      timer = setTimeout(finish, giveUpMs);
    };
    socket.on("connect", () => void write());
  });
}
