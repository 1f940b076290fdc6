import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { dutyNowQuery } from '../alerts/queries.ts';
import { useApp } from '../client/services.ts';
import { type MyVault, myVaultsQuery, paramsOf } from '../data/queries.ts';
import { Button } from '../design/button.tsx';
import { Dialog } from '../design/dialog.tsx';
import { Failure } from '../design/states.tsx';
import { toast } from '../design/toast.tsx';
import { formatCounted } from '../format/figures.ts';
import { ReadTrouble } from '../live/read-trouble.tsx';
import { useViewer } from '../session/use-session.ts';
import type { Shown } from '../vault/vault-gate.tsx';
import type { Rota } from './rota-draft.ts';

type Named = { chain_id: number; vault_address: string };
const keyOf = ({ chain_id, vault_address }: Named): string => `${chain_id}:${vault_address}`;

/** For managers of several vaults: the same rota for others of them. */
export function CopyRota({ vault, rota }: { vault: Shown['vault']; rota: Rota }) {
  const { api } = useApp();
  const { data: mine } = useQuery(myVaultsQuery(api, useViewer()));
  const [isOpen, setOpen] = useState(false);
  const others = (mine?.vaults ?? []).filter((each) => each.my_role !== 'view_only' && keyOf(each) !== keyOf(vault));
  if (others.length === 0) return null;
  return (
    <>
      <Button onPress={() => setOpen(true)}>Copy to other vaults</Button>
      {isOpen ? <CopyDialog rota={rota} others={others} onClose={() => setOpen(false)} /> : null}
    </>
  );
}

type DialogProps = { rota: Rota; others: readonly MyVault[]; onClose: () => void };

/** Says which vaults have a rota that would be replaced; each vault is a change of its own. */
function CopyDialog({ rota, others, onClose }: DialogProps) {
  const { api } = useApp();
  const queries = useQueryClient();
  const duties = useQuery(dutyNowQuery(api, useViewer()));
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const withRota = new Map(duties.data?.vaults.map((each) => [keyOf(each), each]));
  const change = (key: string, isChosen: boolean) =>
    setChosen((before) => new Set(isChosen ? [...before, key] : [...before].filter((each) => each !== key)));
  const copy = useMutation({
    // One after the other: where one is refused the rest, which stay chosen, can be tried again.
    mutationFn: async (vaults: readonly MyVault[]) => {
      for (const each of vaults) {
        const params = paramsOf(each);
        const { version } = await api.duty({ params });
        await api.setDuty({ params, body: { version, rota } });
        change(keyOf(each), false);
      }
    },
    onSuccess: (_, { length }) => {
      toast({ tone: 'info', title: `The rota was copied to ${formatCounted(length, 'vault')}` });
      onClose();
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['alerts'] }),
  });
  const vaults = others.filter((each) => chosen.has(keyOf(each)));
  return (
    <Dialog title="Copy this rota to other vaults" isOpen onClose={onClose} isDismissable={!copy.isPending}>
      <div className="flex flex-col gap-4">
        <ReadTrouble of={duties} what="Which vaults have a rota" />
        <fieldset className="flex flex-col gap-1">
          <legend className="mb-1 text-13 font-medium">Vaults you manage</legend>
          {others.map((each) => {
            const key = keyOf(each);
            const duty = withRota.get(key);
            return (
              <label key={key} className="flex min-h-8 flex-wrap items-center gap-x-2 text-13">
                <input
                  type="checkbox"
                  checked={chosen.has(key)}
                  disabled={copy.isPending}
                  onChange={({ target }) => change(key, target.checked)}
                  className="size-4 accent-[var(--accent)]"
                />
                <span className="min-w-0 break-words">{each.name}</span>
                {duty === undefined ? null : (
                  <span className="text-12 text-brass">
                    {`Replaces its rota; on duty now: ${duty.on_duty?.name ?? 'nobody yet'}`}
                  </span>
                )}
              </label>
            );
          })}
        </fieldset>
        {copy.isError ? (
          <Failure error={copy.error} title="The rota was not copied to the vaults still chosen" />
        ) : null}
        <span className="flex flex-wrap justify-end gap-2">
          <Button isDisabled={copy.isPending} onPress={onClose}>
            Leave it
          </Button>
          {/* Not before it is known what would be replaced. */}
          <Button
            look="primary"
            isDisabled={vaults.length === 0 || duties.data === undefined || copy.isPending}
            onPress={() => copy.mutate(vaults)}
          >
            {copy.isPending ? 'Copying' : `Copy to ${formatCounted(vaults.length, 'vault')}`}
          </Button>
        </span>
      </div>
    </Dialog>
  );
}
