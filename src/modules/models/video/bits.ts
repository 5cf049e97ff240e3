// Writing bits, and the codes of numbers that H.264 has.

export interface BitWriter {
  bits(value: number, count: number): void;
  /** An unsigned number in Exp-Golomb code. */
  ue(value: number): void;
  /** Zeros up to the next byte. */
  align(): void;
  /** Whole bytes, at the beginning of one. */
  bytes(content: Uint8Array): void;
  /** A one, then zeros up to the next byte; everything that was written. */
  finish(): Buffer;
}

/** An empty writer. */
export function createBits(): BitWriter {
  const written: number[] = [];
  let current = 0;
  let used = 0;

  function bit(value: number): void {
    current = (current << 1) | value;
    used++;
    if (used < 8) return;
    written.push(current);
    current = 0;
    used = 0;
  }
  function bits(value: number, count: number): void {
    for (let at = count - 1; at >= 0; at--) bit((value >>> at) & 1);
  }
  function align(): void {
    while (used > 0) bit(0);
  }
  return {
    bits,
    align,
    ue(value) {
      const length = 32 - Math.clz32(value + 1);
      bits(0, length - 1);
      bits(value + 1, length);
    },
    bytes(content) {
      for (const byte of content) written.push(byte);
    },
    finish() {
      bit(1);
      align();
      return Buffer.from(written);
    },
  };
}
