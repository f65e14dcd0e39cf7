import { COME_BACK } from "../model/live.ts";
import { at } from "./dom.ts";

// The browser's end of every live feed: one connection, which reconnects with backoff while the page is visible and the
// session is valid.

const RETRY_MS = 500;
const RETRY_MS_MAX = 30_000;
/** Time between heartbeats, which the server answers without waking the object. A silent interval: a dead socket. */
const BEAT_MS = 20_000;

/** What a page needs from its feed. */
export interface Feed {
  /** The feed's address on this console, with the cursor of what the page shows now. */
  address: () => string;
  /** Called with each message of the server, as parsed JSON. */
  take: (news: unknown) => void;
  /** Called when the connection opens and when it is lost. */
  changed?: (isOpen: boolean) => void;
}

/** Whether the server refuses this browser because the session ended, so that reconnecting is useless. */
async function isRefused(path: string): Promise<boolean> {
  // A script cannot read the status of a failed handshake; the same address without an upgrade returns one.
  const reply = await fetch(path, { headers: { accept: "application/json" }, redirect: "manual" }).catch(() => null);
  return reply?.status === 401;
}

/** Keeps the page connected. If it is hidden or signed out, it reconnects only once it becomes visible again. */
export function startFeed({ address, take, changed }: Feed): void {
  let socket: WebSocket | null = null;
  let isOpen = false;
  let wasHeard = true;
  let tries = 0;
  let timer = 0;

  const setOpen = (now: boolean) => {
    if (isOpen === now) return;
    isOpen = now;
    changed?.(now);
  };

  const again = (atOnce: boolean) => {
    clearTimeout(timer);
    // Half of the gap is random, so that browsers do not all reconnect at the same moment.
    const gapMs = Math.min(RETRY_MS_MAX, RETRY_MS * 2 ** tries++) * (0.5 + Math.random() / 2);
    timer = setTimeout(connect, atOnce ? 0 : gapMs);
  };

  const lost = async (which: WebSocket, code: number) => {
    if (socket !== which) return;
    const wasOpen = isOpen;
    socket = null;
    setOpen(false);
    if (document.hidden) return;
    if (!wasOpen && code !== COME_BACK && (await isRefused(at(address())))) return;
    again(code === COME_BACK);
  };

  function connect(): void {
    clearTimeout(timer);
    if (socket || document.hidden) return;
    const mine = new WebSocket(location.origin.replace("http", "ws") + at(address()));
    socket = mine;
    wasHeard = true;
    mine.addEventListener("open", () => {
      if (socket === mine) setOpen(true);
    });
    mine.addEventListener("message", ({ data }: MessageEvent<string>) => {
      wasHeard = true;
      if (socket !== mine) return;
      // Only a message resets the backoff: after a connection that is accepted and dropped, the gap must keep growing.
      tries = 0;
      if (data !== "pong") take(JSON.parse(data));
    });
    mine.addEventListener("close", ({ code }) => void lost(mine, code));
  }

  document.addEventListener("visibilitychange", connect);
  addEventListener("online", connect);
  setInterval(() => {
    if (!socket || !isOpen) return;
    if (wasHeard) {
      wasHeard = false;
      socket.send("ping");
      return;
    }
    const dead = socket;
    dead.close();
    void lost(dead, COME_BACK);
  }, BEAT_MS);
  connect();
}
