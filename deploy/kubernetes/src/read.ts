import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { ConfigurationFault } from './app.ts';
import { Configuration } from './configuration.ts';

/**
 * A configuration of text.
 * @param folder - Where the paths in it begin.
 * @throws ConfigurationFault with every fault.
 */
export function configurationOf(text: string, folder: string): Configuration {
  const parsed = Configuration.safeParse(parse(text));
  if (!parsed.success) throw new ConfigurationFault(z.prettifyError(parsed.error));
  const { bus } = parsed.data;
  if (bus.kind === 'external' || !bus.validatorsConf) return parsed.data;
  return { ...parsed.data, bus: { ...bus, validatorsConf: resolve(folder, bus.validatorsConf) } };
}

export const readConfiguration = (file: string): Configuration =>
  configurationOf(readFileSync(file, 'utf8'), dirname(file));
