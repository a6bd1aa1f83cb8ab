/** Image files by their first bytes. */

const MAGIC: [type: string, bytes: number[], offset: number][] = [
  ['image/png', [0x89, 0x50, 0x4e, 0x47], 0],
  ['image/jpeg', [0xff, 0xd8, 0xff], 0],
  ['image/gif', [0x47, 0x49, 0x46, 0x38], 0],
  ['image/webp', [0x57, 0x45, 0x42, 0x50], 8],
];

/** The media type, or undefined for anything that models cannot see. */
export function imageType(start: Buffer): string | undefined {
  return MAGIC.find(([, bytes, offset]) => bytes.every((byte, index) => start[offset + index] === byte))?.[0];
}
