/** Runs one command line; sets the exit status of the process. */
export async function main(argv: string[]): Promise<void> {
  if (argv[0] === '--version' || argv[0] === '-V') process.stdout.write(`${FROST_VERSION}\n`);
}
