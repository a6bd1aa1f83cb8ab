/** The package's version, put in by the build. */
declare const FROST_VERSION: string;
