import { type BundledService, bundledServices } from '../bundle/programs.ts';

/**
 * The services whose images are meant: all where none is named. The gateway is always among them: everything is asked through it, and the web
 * is in its image.
 * @throws Error for a name that no service has.
 */
export function chosenServices(named: readonly string[]): BundledService[] {
  const unknown = named.filter((name) => !bundledServices.some((service) => service === name));
  if (unknown.length > 0)
    throw new Error(`There is no image of ${unknown.join(', ')}, but of ${bundledServices.join(', ')}.`);
  return bundledServices.filter((service) => named.length === 0 || service === 'gateway' || named.includes(service));
}
