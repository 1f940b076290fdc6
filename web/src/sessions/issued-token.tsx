import { CopyButton } from '../design/address-tag.tsx';
import { Button } from '../design/button.tsx';
import { Dialog } from '../design/dialog.tsx';
import { Notice } from '../design/states.tsx';
import { formatUtc } from '../format/time.ts';
import { curlExample, type Issued, scopeWords } from './session-labels.ts';

/** The one time a token is seen: once this is closed it is nowhere. */
export function IssuedToken({ issued, onClose }: { issued: Issued; onClose: () => void }) {
  const { access_token: token, session } = issued;
  const example = curlExample(window.location.origin, issued);
  return (
    <Dialog title={`Token ${session.name ?? ''}`.trim()} isOpen onClose={onClose} isDismissable={false}>
      <div className="flex flex-col gap-4">
        <Notice tone="warn" title="Copy it now: it is not shown again">
          Anyone who has it may do this as you: {scopeWords[session.scope].toLowerCase()}, until{' '}
          {formatUtc(session.expires_at)}.
        </Notice>
        <Secret label="Token" value={token} what="token" />
        <Secret label="Try it, with the token in CASTELLAN_TOKEN" value={example} what="example" />
        <Button look="primary" onPress={onClose}>
          I have copied it
        </Button>
      </div>
    </Dialog>
  );
}

function Secret({ label, value, what }: { label: string; value: string; what: string }) {
  return (
    <div className="flex flex-col gap-1">
      <p className="text-13 font-medium">{label}</p>
      <span className="flex items-start gap-1">
        <code className="max-h-32 min-w-0 flex-1 overflow-y-auto rounded bg-raised p-2 font-mono text-12 break-all">
          {value}
        </code>
        <CopyButton value={value} what={what} />
      </span>
    </div>
  );
}
