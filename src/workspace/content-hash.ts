/** SHA-256 of contents. A file of its own: node:crypto takes a while to load, and many runs need none. */
import { createHash } from 'node:crypto';

export const hashOf = (content: Buffer): string => createHash('sha256').update(content).digest('hex');
