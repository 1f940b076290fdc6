/** What a server says of a deprecated operation. */
export type DeprecationNotice = {
  /** Its operationId, the name of the method. */
  operation: string;
  /** Since when it is deprecated. */
  since: Date;
  /** When it may be removed; null while no day is fixed. */
  sunset: Date | null;
  /** Where the server says what to call instead; null where it names nothing. */
  link: string | null;
};

/** An answer, and the operation it is of. */
export type OnAnswer = (operation: string, headers: Headers) => void;

const linkOf = (header: string | null): string | null =>
  /<([^>]*)>[^,]*;\s*rel="?deprecation"?/i.exec(header ?? '')?.[1] ?? null;

/** Reads `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and `Link`, and reports each operation once. */
export function deprecationReader(report: (notice: DeprecationNotice) => void): OnAnswer {
  const reported = new Set<string>();
  return (operation, headers) => {
    const seconds = /^@(-?\d+)$/.exec(headers.get('deprecation') ?? '')?.[1];
    if (seconds === undefined || reported.has(operation)) return;
    reported.add(operation);
    const sunset = headers.get('sunset');
    report({
      operation,
      since: new Date(Number(seconds) * 1000),
      sunset: sunset === null ? null : new Date(sunset),
      link: linkOf(headers.get('link')),
    });
  };
}
