import net from "node:net";
import { NO_REPLY, repliesIn } from "./wire-replies.ts";
import type { WireReply } from "./wire-replies.ts";

// Sends raw bytes as requests, as no HTTP client library would.

/** The bytes of a request, in pieces with pauses between them. */
export interface WireRequest {
  pieces: Buffer[];
  pauseMs: number;
  /** Methods of the requests in it, one reply each; one GET or POST if absent. */
  methods?: string[];
  /** What the client does after the last byte; if absent, it waits. */
  ending?: { how: "finish" | "reset"; afterMs: number };
}

/** What the client received on one connection. */
export interface Talk {
  replies: WireReply[];
  /** From the last byte of the request to the last reply, or to the end of the connection. */
  tookMs: number;
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Sends a request and reads its replies, until the connection ends, or for `giveUpMs` after the last byte. */
export function converse(port: number, request: WireRequest, giveUpMs: number): Promise<Talk> {
  const { pieces, pauseMs, methods = ["POST"], ending } = request;
  return new Promise((resolve) => {
    const socket = net.connect({ host: "127.0.0.1", port });
    const chunks: Buffer[] = [];
    let sentAt = performance.now();
    const finish = () => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ replies: repliesIn(Buffer.concat(chunks), methods), tookMs: performance.now() - sentAt });
    };
    const sent = () => {
      sentAt = performance.now();
      clearTimeout(timer);
      timer = setTimeout(finish, giveUpMs);
    };
    let timer = setTimeout(finish, giveUpMs);
    socket.on("data", (chunk) => {
      chunks.push(chunk);
      const replies = repliesIn(Buffer.concat(chunks), methods);
      // No reply follows the handshake of a WebSocket.
      if (replies.length === methods.length || replies.at(-1)?.status === 101) finish();
    });
    // A service that refuses a body early closes the connection while the client still sends it.
    socket.on("error", finish);
    socket.on("close", finish);
    const write = async () => {
      for (const [at, piece] of pieces.entries()) {
        if (at > 0) await pause(pauseMs);
        if (socket.destroyed) return;
        socket.write(piece, sent);
      }
      sent();
      if (!ending) return;
      await pause(ending.afterMs);
      if (socket.destroyed) return;
      if (ending.how === "finish") socket.end(sent);
      else socket.resetAndDestroy();
    };
    socket.on("connect", () => void write());
  });
}

/** Sends one request and reads its reply; the status is 0 if there is none. */
export async function exchange(
  port: number,
  request: WireRequest,
  giveUpMs: number,
): Promise<WireReply & { tookMs: number }> {
  const { replies, tookMs } = await converse(port, request, giveUpMs);
  return { ...(replies[0] ?? NO_REPLY), tookMs };
}
