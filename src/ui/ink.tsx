/** Ink lays out the live part; what it would write goes to the painter as a whole frame. */
import { PassThrough, Writable } from 'node:stream';
import { Box, render, Text } from 'ink';
import { memo } from 'react';
import { EMPTY_LIVE, type Live, PARTS } from './live/compose.js';

/** A terminal for Ink that keeps its last frame. It says that it is no terminal, so Ink sends it nothing but frames. */
class FrameSink extends Writable {
  readonly #size: () => { columns: number; rows: number };
  frame = '';

  constructor(size: () => { columns: number; rows: number }) {
    super({ decodeStrings: false });
    this.#size = size;
  }

  get columns(): number {
    return this.#size().columns;
  }

  get rows(): number {
    return this.#size().rows;
  }

  override _write(frame: string, _encoding: BufferEncoding, done: () => void): void {
    this.frame = frame;
    done();
  }
}

/** One row, laid out anew only when its text changes. It is fitted already; Ink must not wrap it again. */
const Row = memo(function Row({ line }: { line: string }) {
  return <Text wrap="truncate">{line === '' ? ' ' : line}</Text>;
});

function Rows({ lines }: { lines: readonly string[] }) {
  return (
    <Box flexDirection="column">
      {lines.map((line, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other identity
        <Row key={at} line={line} />
      ))}
    </Box>
  );
}

export function LivePart({ live }: { live: Live }) {
  return (
    <Box flexDirection="column">
      {PARTS.map((part) => (
        <Rows key={part} lines={live[part]} />
      ))}
    </Box>
  );
}

export interface LiveRenderer {
  /** The frame of a live part: lines with looks, `\n` between them. */
  frame(live: Live): string;
  unmount(): void;
}

export function inkRenderer(size: () => { columns: number; rows: number }, screenReader: boolean): LiveRenderer {
  const sink = new FrameSink(size);
  const app = render(<LivePart live={EMPTY_LIVE} />, {
    stdout: sink as unknown as NodeJS.WriteStream,
    stdin: new PassThrough() as unknown as NodeJS.ReadStream,
    // Every frame whole and at once: what reaches the terminal of it is the painter's business.
    debug: true,
    exitOnCtrlC: false,
    patchConsole: false,
    isScreenReaderEnabled: screenReader,
  });
  return {
    frame(live) {
      app.rerender(<LivePart live={live} />);
      return sink.frame;
    },
    unmount: () => app.unmount(),
  };
}
