import type { RecordingPlace } from "../model/message.ts";

// Places in the list of recordings, as addresses and `next` contain them.

/** Reads a place; null where it is absent or malformed. */
export function placeOf(text: string | undefined): RecordingPlace | null {
  const [, createdAt, fileId] = /^(\d{1,15})\.(\w{1,100})$/u.exec(text ?? "") ?? [];
  return createdAt === undefined || fileId === undefined ? null : { createdAt: Number(createdAt), fileId };
}

/** The place of a recording. */
export function placeText({ createdAt, fileId }: RecordingPlace): string {
  return `${createdAt}.${fileId}`;
}
