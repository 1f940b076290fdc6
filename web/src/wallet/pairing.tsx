import { encode } from 'uqr';
import { CopyButton } from '../design/address-tag.tsx';
import { Button } from '../design/button.tsx';
import { Skeleton } from '../design/states.tsx';

/** A QR code as one path, a square of one by one for each dark module; the quiet zone around it is part of the code. */
function Code({ text }: { text: string }) {
  const { data, size } = encode(text, { border: 4 });
  const path = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))).join('');
  return (
    <svg
      role="img"
      aria-label="Code to scan with a wallet"
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      className="w-full max-w-72 self-center rounded-control"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}

type Props = { link: string | undefined; onCancel: () => void };

/** The way to a wallet on another device, or in another app of this one. */
export default function Pairing({ link, onCancel }: Props) {
  return (
    <section aria-labelledby="pairing" className="flex flex-col gap-3">
      <h3 id="pairing" className="text-13 font-semibold">
        Scan this with your wallet
      </h3>
      <p className="text-13 text-muted">
        A wallet on a phone or the app of a hardware wallet connects over WalletConnect's relay, which sees neither keys
        nor what is signed. Compare what the device shows with what this page shows before you sign.
      </p>
      {link === undefined ? (
        <Skeleton className="aspect-square w-full max-w-72 self-center" />
      ) : (
        <>
          <Code text={link} />
          <p className="flex flex-wrap items-center gap-2 text-13">
            <a href={link} className="text-accent underline">
              Open a wallet on this device
            </a>
            <span className="inline-flex items-center text-muted">
              or copy the link <CopyButton value={link} what="link for the wallet" />
            </span>
          </p>
        </>
      )}
      <div>
        <Button onPress={onCancel}>Choose another wallet</Button>
      </div>
    </section>
  );
}
