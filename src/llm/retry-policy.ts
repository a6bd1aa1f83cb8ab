/** When a failed request is made again, and after how long. */

const RETRIED_STATUS = new Set([408, 409, 429]);

/** Faults of the network that another try does not mend. */
const PERMANENT = new Set([
  'ENOTFOUND',
  'EPROTO',
  'ERR_SSL_WRONG_VERSION_NUMBER',
  'ENCODING',
  'ABORTED',
  'ERR_INVALID_URL',
  'EACCES',
  'EPERM',
]);
const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER|ERR_TLS/;

export const isRetriedStatus = (status: number): boolean =>
  RETRIED_STATUS.has(status) || (status >= 500 && status !== 501 && status !== 505);

export const isCertificateCode = (code: string): boolean => CERTIFICATE.test(code);

export const isRetriedCode = (code: string): boolean => !PERMANENT.has(code) && !isCertificateCode(code);

/** Backoff before attempt `attempt + 1`: 0.5 s, 1 s, 2 s … up to 8 s, up to a quarter less. */
export function backoffMs(attempt: number, random: () => number = Math.random): number {
  return Math.round(Math.min(8000, 500 * 2 ** (attempt - 1)) * (1 - random() / 4));
}

/** What `Retry-After` (seconds or a date) or `retry-after-ms` asks for, in ms from `now`; undefined where it says nothing. */
export function retryAfterMs(headers: { get(name: string): string | null }, now: number): number | undefined {
  const exact = Number.parseFloat(headers.get('retry-after-ms') ?? '');
  if (exact >= 0) return exact;
  const value = headers.get('retry-after')?.trim();
  if (!value) return undefined;
  if (/^\d+(\.\d+)?$/.test(value)) return Number.parseFloat(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** «45 s», «60 min», «2 h 5 min». */
export function durationText(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
}

/** Waits; returns false at once where the signal aborts. */
export function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve(false);
    const stop = () => {
      clearTimeout(timer);
      resolve(false);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve(true);
    }, ms);
    signal.addEventListener('abort', stop, { once: true });
  });
}
