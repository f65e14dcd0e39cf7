import { telephoneKey } from "../model/message.ts";
import { telephoneWav } from "../recordings/telephone.ts";

/**
 * The key of an uploaded WAV file as telephones play it: made for its first call, and kept beside it until it is deleted.
 * Null where the file is gone. Throws where R2 is away.
 */
export async function telephoneCopy(bucket: R2Bucket, objectKey: string): Promise<string | null> {
  const key = telephoneKey(objectKey);
  if (await bucket.head(key)) return key;
  const original = await bucket.get(objectKey);
  const made = original && telephoneWav(new Uint8Array(await original.arrayBuffer()));
  if (!made) return null;
  await bucket.put(key, made, { httpMetadata: { contentType: "audio/wav" } });
  // Deleted meanwhile: no copy may outlive its recording.
  if (await bucket.head(objectKey)) return key;
  await bucket.delete(key);
  return null;
}
