import { shortHex } from '../format/address.ts';

/** An account as it fits the top bar: a phone shows only its end. */
export const AccountShort = ({ address }: { address: string }) => (
  <>
    <span className="hidden sm:inline">{shortHex(address)}</span>
    <span className="sm:hidden">{`…${address.slice(-4)}`}</span>
  </>
);
