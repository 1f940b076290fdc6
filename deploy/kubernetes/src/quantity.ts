const factors: Readonly<Record<string, number>> = {
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
};

/** Bytes of a quantity of memory, as Kubernetes reads it. */
export function bytesOf(quantity: string): number {
  const [, amount, unit = ''] = /^([\d.]+)(\w*)$/.exec(quantity) ?? [];
  return Number(amount) * (factors[unit] ?? 1);
}
