import { Gauge, type Registry } from '@castellan/service-kit';

const readAgainMs = 60_000;

/** Shows when the last backup was made. A scrape never waits for the store: it shows what was read before, and nothing until then. */
export function backupMetrics(registry: Registry, read: () => Promise<Date | undefined>, clock = Date.now): void {
  let last: Date | undefined;
  let readAt = Number.NEGATIVE_INFINITY;
  new Gauge({
    name: 'backup_last_timestamp_seconds',
    help: 'When the last backup of all databases was made, Unix seconds; before the first one, when the service first started',
    registers: [registry],
    collect() {
      if (clock() - readAt >= readAgainMs) {
        readAt = clock();
        read().then(
          (at) => {
            last = at ?? last;
          },
          () => {
            readAt = Number.NEGATIVE_INFINITY;
          },
        );
      }
      if (last === undefined) this.remove();
      else this.set(last.getTime() / 1000);
    },
  });
}
