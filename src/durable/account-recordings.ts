import { DurableObject } from "cloudflare:workers";
import type * as command from "../model/command.ts";
import type * as message from "../model/message.ts";
import * as recordings from "./account/voice/recordings.ts";
import type { Tail } from "./account/turn.ts";
import { AccountStore } from "./account-store.ts";

/** The part of an account object that keeps recordings, with the storage that all of the object's methods share. */
export abstract class AccountRecordings extends DurableObject<Env> {
  /** A property of the instance, which no call from outside reaches. */
  protected readonly store = new AccountStore(this.ctx, () => this.env);

  /** Admits an upload and reserves its place in the quota, before its bytes are stored. */
  beginUpload(...asked: Tail<typeof recordings.beginUpload>): command.UploadDoor | null {
    return this.store.change((turn) => recordings.beginUpload(turn, ...asked));
  }

  /** Ends an upload, whose bytes were stored in R2 or not; false where the account has no such recording. */
  endUpload(...asked: Tail<typeof recordings.endUpload>): boolean | null {
    return this.store.change((turn) => recordings.endUpload(turn, ...asked));
  }

  /** Recordings after a place, newest first. */
  recordings(after: message.RecordingPlace | null, limit: number): message.RecordingView[] | null {
    return this.store.read((sql) => recordings.listRecordings(sql, after, limit));
  }

  /** One recording of this account; null for another account's and for an unknown one. */
  recording(fileId: string): message.RecordingView | null {
    return this.store.read((sql) => recordings.readRecording(sql, fileId));
  }

  /** Gives a recording another name; null where the account has no such recording. */
  renameRecording(fileId: string, name: string): message.RecordingView | null {
    return this.store.change((turn) => recordings.renameRecording(turn, fileId, name));
  }

  /** Removes a recording, and its bytes once no call under way plays them; null where there is no such recording. */
  async removeRecording(fileId: string): Promise<true | null> {
    const objectKey = this.store.change((turn) => recordings.removeRecording(turn, fileId));
    if (objectKey === null) return null;
    await this.store.alarm.discard(objectKey);
    return true;
  }
}
