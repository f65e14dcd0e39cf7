import { createCipheriv, createSecretKey } from "node:crypto";
import type { KeyObject } from "node:crypto";

// A second layer around what is sealed already, so that it can be forgotten by deleting this layer's key alone. What is
// inside is authenticated, so this layer only encrypts: AES-256-CTR (NIST SP 800-38A, 6.5). A cipher costs more to set up
// than to run, so a key prepares its stream in pieces, from which each text takes the next blocks.

/** The first byte of what is wrapped; sealed bytes begin with less. */
const WRAPPED = 0x80;

/** In front of the ciphertext: the byte above, the key's id, and the counter block that the text begins with. */
const ID_SIZE = 6;
const NONCE_SIZE = 12;
const BLOCK_SIZE = 16;
const HEAD_SIZE = 1 + ID_SIZE + BLOCK_SIZE;

const KEY_SIZE = 32;

/** Blocks of a piece: some tens of texts. */
const PIECE_BLOCKS = 256;

/** Blocks under one nonce: the counter has 32 bits. */
const BLOCKS_MAX = 2 ** 32;

/** Random bytes for a `WrappingKey`. */
export function newWrappingKey(): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(KEY_SIZE));
}

/** The id of the key of wrapped bytes; null for bytes that are not wrapped. */
export function wrappingKeyId(wrapped: Uint8Array): number | null {
  if (wrapped[0] !== WRAPPED) return null;
  const view = new DataView(wrapped.buffer, wrapped.byteOffset);
  return view.getUint16(1) * 2 ** 32 + view.getUint32(3);
}

/** A key with its id, an integer below 2^48. */
export class WrappingKey {
  readonly id: number;
  readonly #key: KeyObject;
  /** Random for each instance, so that no two texts of a key begin with the same counter block. */
  #nonce = new Uint8Array(0);
  /** The next block of the stream. */
  #next = BLOCKS_MAX;
  /** The prepared piece of the stream, and the block that it begins with. */
  #piece = new Uint8Array(0);
  #pieceFrom = 0;

  constructor(id: number, key: Uint8Array) {
    this.id = id;
    this.#key = createSecretKey(key);
  }

  /** Wraps sealed bytes; `unwrap` with the same key opens them. */
  wrap(sealed: Uint8Array): Uint8Array {
    const blocks = Math.ceil(sealed.length / BLOCK_SIZE);
    const from = this.#take(blocks);
    const wrapped = new Uint8Array(HEAD_SIZE + sealed.length);
    wrapped[0] = WRAPPED;
    const view = new DataView(wrapped.buffer);
    view.setUint16(1, Math.floor(this.id / 2 ** 32));
    view.setUint32(3, this.id % 2 ** 32);
    wrapped.set(this.#nonce, 1 + ID_SIZE);
    view.setUint32(1 + ID_SIZE + NONCE_SIZE, from);
    const at = (from - this.#pieceFrom) * BLOCK_SIZE;
    for (let index = 0; index < sealed.length; index++) {
      wrapped[HEAD_SIZE + index] = (sealed[index] ?? 0) ^ (this.#piece[at + index] ?? 0);
    }
    return wrapped;
  }

  /** The sealed bytes inside of what this key wrapped. */
  unwrap(wrapped: Uint8Array): Uint8Array {
    const start = wrapped.subarray(1 + ID_SIZE, HEAD_SIZE);
    // Copied out of the buffer's pool: calls between objects take plain bytes.
    return new Uint8Array(createCipheriv("aes-256-ctr", this.#key, start).update(wrapped.subarray(HEAD_SIZE)));
  }

  /** Takes the next blocks of the stream, none of which is ever taken again, and prepares them. Returns the first. */
  #take(blocks: number): number {
    if (this.#next + blocks > BLOCKS_MAX) {
      this.#nonce = crypto.getRandomValues(new Uint8Array(NONCE_SIZE));
      this.#next = 0;
      this.#piece = new Uint8Array(0);
      this.#pieceFrom = 0;
    }
    const from = this.#next;
    this.#next += blocks;
    if (this.#next * BLOCK_SIZE > this.#pieceFrom * BLOCK_SIZE + this.#piece.length) {
      const start = new Uint8Array(BLOCK_SIZE);
      start.set(this.#nonce);
      new DataView(start.buffer).setUint32(NONCE_SIZE, from);
      const zeros = new Uint8Array(Math.max(blocks, PIECE_BLOCKS) * BLOCK_SIZE);
      this.#piece = new Uint8Array(createCipheriv("aes-256-ctr", this.#key, start).update(zeros));
      this.#pieceFrom = from;
    }
    return from;
  }
}
