/** True when two addresses are the same, whatever their case. */
export const sameAddress = (left: string | null | undefined, right: string | null | undefined): boolean =>
  left != null && right != null && left.toLowerCase() === right.toLowerCase();
