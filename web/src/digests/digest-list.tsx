import { CopyButton } from '../design/address-tag.tsx';
import { type Asked, digestsOf, type TypedData } from './digests.ts';

/** A hash in full with its name, to be compared digit by digit. */
export const Digest = ({ label, value }: { label: string; value: string }) => (
  <div className="flex flex-col gap-0.5">
    <dt className="text-12 text-muted">{label}</dt>
    <dd className="flex min-w-0 items-start gap-1">
      <code className="min-w-0 flex-1 font-mono text-12 break-all">{value}</code>
      <CopyButton value={value} what={label} />
    </dd>
  </div>
);

/** What a wallet signs that knows no typed data: a text, which its screen shows as it is. */
const TextToSign = ({ text }: { text: string }) => (
  <section aria-label="The text that is signed" className="flex flex-col gap-2 rounded-control border p-3">
    <h3 className="text-13 font-semibold">Your wallet does not sign typed data, so it signs this text instead</h3>
    <pre className="font-mono text-12 break-words whitespace-pre-wrap">{text}</pre>
  </section>
);

/** What a hardware wallet shows before it signs a message, computed in this browser from what the wallet is given. */
export function DigestList({ typedData }: { typedData: TypedData }) {
  return (
    <section aria-label="To compare on a hardware screen" className="flex flex-col gap-2 rounded-control border p-3">
      <h3 className="text-13 font-semibold">To compare on a hardware screen</h3>
      <dl className="flex flex-col gap-2">
        {digestsOf(typedData).map((each) => (
          <Digest key={each.label} {...each} />
        ))}
      </dl>
    </section>
  );
}

/** What the wallet shows while it asks. */
export const AskedToSign = ({ asked }: { asked: Asked }) =>
  'text' in asked ? <TextToSign text={asked.text} /> : <DigestList typedData={asked.typedData} />;
