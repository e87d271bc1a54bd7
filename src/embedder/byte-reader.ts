/** Reads little-endian values one after the other. Throws a RangeError at the end of the bytes. */
export class ByteReader {
  readonly #bytes: Buffer;
  #offset = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** The number of bytes read. */
  get offset(): number {
    return this.#offset;
  }

  uint16 = (): number => this.#bytes.readUInt16LE(this.#advance(2));
  uint32 = (): number => this.#bytes.readUInt32LE(this.#advance(4));
  uint64 = (): number => Number(this.#bytes.readBigUInt64LE(this.#advance(8)));
  float32 = (): number => this.#bytes.readFloatLE(this.#advance(4));

  /** Returns a view of the next bytes. */
  bytes(length: number): Buffer {
    const from = this.#advance(length);
    if (this.#offset > this.#bytes.length) throw new RangeError('The bytes end too early');
    return this.#bytes.subarray(from, this.#offset);
  }

  text = (length: number): string => this.bytes(length).toString('utf8');

  /** Returns some values, each read by the same function. */
  list = <Value>(length: number, read: () => Value): Value[] => Array.from({ length }, read);

  #advance(length: number): number {
    const from = this.#offset;
    this.#offset += length;
    return from;
  }
}
