let count = 0;

/** An id that is unique in this process and very likely everywhere: `PREFIX_` and letters that sort by time. */
export function newId(prefix: string): string {
  count += 1;
  const random = Math.floor(Math.random() * 36 ** 5)
    .toString(36)
    .padStart(5, '0');
  return `${prefix}_${Date.now().toString(36)}${count.toString(36)}${random}`;
}
