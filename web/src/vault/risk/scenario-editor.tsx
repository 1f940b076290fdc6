import { shocksOf, usualShocks } from '@castellan/contracts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Api } from '../../client/api.ts';
import { useApp } from '../../client/services.ts';
import { paramsOf } from '../../data/queries.ts';
import { Button } from '../../design/button.tsx';
import { ChangedMeanwhile } from '../../design/changed-meanwhile.tsx';
import { Field } from '../../design/field.tsx';
import { LeaveGuard } from '../../design/leave-guard.tsx';
import { Failure } from '../../design/states.tsx';
import { toast } from '../../design/toast.tsx';
import { useBegun } from '../../design/use-begun.ts';
import type { Shown } from '../vault-gate.tsx';

type ScenarioSet = Awaited<ReturnType<Api['scenarioSet']>>;
type Name = ScenarioSet['names'][number];
type Layer = 'protocol' | 'curator' | 'collateral';

type Props = {
  shown: Shown;
  /** Undefined for those without a role on the vault. */
  set: ScenarioSet | undefined;
  onTry: (shocks: string) => void;
  onKept: () => void;
};

const layers: readonly { layer: Layer; label: string }[] = [
  { layer: 'protocol', label: 'Protocol' },
  { layer: 'curator', label: 'Curator' },
  { layer: 'collateral', label: 'Collateral' },
];

/** Lines as people write them, as a query takes them. */
const joined = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(',');

/** Without the names that were left empty, and the sources of which none is left. */
const filled = (names: readonly Name[]): Name[] =>
  names
    .map(({ source_address, ...rest }) => ({
      source_address,
      ...Object.fromEntries(Object.entries(rest).filter(([, value]) => value?.trim())),
    }))
    .filter((name) => Object.keys(name).length > 1);

type Draft = { text: string; names: readonly Name[] };

const draftOf = (set: ScenarioSet | undefined): Draft => ({
  text: (set?.shocks ?? usualShocks).replaceAll(',', '\n'),
  names: set?.names ?? [],
});

/** The same for drafts that only differ in blanks and in names that were left empty. */
const meaningOf = ({ text, names }: Draft): string => JSON.stringify([joined(text), filled(names)]);

/** The shocks as text, to try for anybody and to keep for managers, who name what sources depend on too. */
export function ScenarioEditor({ shown, set, onTry, onKept }: Props) {
  const { api } = useApp();
  const queries = useQueryClient();
  const { vault } = shown;
  const form = useBegun(set, (of) => of?.version ?? 0, draftOf);
  const { text, names } = form.draft;
  const found = shocksOf(joined(text));
  const fault = typeof found === 'string' ? found : undefined;
  const mayKeep = set !== undefined && (vault.my_role === 'primary_manager' || vault.my_role === 'secondary_manager');
  const keep = useMutation({
    mutationFn: () =>
      api.setScenarioSet({
        params: paramsOf(vault),
        body: { shocks: joined(text), names: filled(names), replaces: form.begun?.version ?? 0 },
      }),
    onSuccess: ({ version }) => {
      toast({ tone: 'info', title: `Version ${version} of the scenarios was kept` });
      form.saved(version);
      onKept();
    },
    // Also of a refusal: somebody else may have kept others meanwhile.
    onSettled: () => queries.invalidateQueries({ queryKey: ['scenarios'] }),
  });
  const isUnsaved = meaningOf(form.draft) !== meaningOf(draftOf(form.begun));
  return (
    <details className="border-t">
      <LeaveGuard isDirty={mayKeep && isUnsaved} what="the scenarios" />
      <summary className="cursor-pointer px-3 py-3 sm:px-4 text-13 font-medium hover:bg-raised">
        Change the shocks
      </summary>
      <div className="flex flex-col gap-3 px-3 pb-4 sm:px-4">
        <label className="flex flex-col gap-1 text-13 font-medium">
          One shock a line
          <textarea
            value={text}
            onChange={({ target }) => form.change({ text: target.value, names })}
            rows={8}
            spellCheck={false}
            aria-invalid={fault !== undefined}
            aria-describedby="scenario-shocks-hint"
            className="w-full rounded-control border border-line-strong bg-raised p-3 font-mono text-13"
          />
        </label>
        <p id="scenario-shocks-hint" className={fault === undefined ? 'text-12 text-muted' : 'text-12 text-danger'}>
          {fault ??
            'loss:0.2:largest, loss:1:all, loss:0.5 with the address of a source, depeg:0.05, oracle_stop:48 (hours), run:10 (holders), gas:10 (times)'}
        </p>
        {mayKeep ? <Names shown={shown} names={names} onChange={(next) => form.change({ text, names: next })} /> : null}
        <div className="flex flex-wrap gap-2">
          <Button isDisabled={fault !== undefined} onPress={() => onTry(joined(text))}>
            Try
          </Button>
          {mayKeep ? (
            <Button
              look="primary"
              isDisabled={fault !== undefined || keep.isPending || form.isOutdated}
              onPress={() => keep.mutate()}
            >
              Keep for this vault
            </Button>
          ) : null}
        </div>
        {keep.error === null || form.isOutdated ? null : (
          <Failure error={keep.error} title="The scenarios were not kept" />
        )}
        <ChangedMeanwhile of={form} what="the scenarios" onDecided={keep.reset}>
          {`Theirs: ${(set?.shocks ?? usualShocks).replaceAll(',', ', ')}.`}
        </ChangedMeanwhile>
      </div>
    </details>
  );
}

type NamesProps = { shown: Shown; names: readonly Name[]; onChange: (names: readonly Name[]) => void };

function Names({ shown: { vault }, names, onChange }: NamesProps) {
  const isSame = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();
  const nameOf = (address: string): Name =>
    names.find(({ source_address }) => isSame(source_address, address)) ?? { source_address: address };
  const change = (address: string, layer: Layer, value: string) =>
    onChange([
      ...names.filter(({ source_address }) => !isSame(source_address, address)),
      { ...nameOf(address), [layer]: value },
    ]);
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="pb-2 text-13 font-medium">What the sources depend on</legend>
      {vault.allocation.map(({ source_address: address, name }) => (
        <div key={address} className="grid grid-cols-1 gap-2 sm:grid-cols-4 sm:items-end">
          <span className="text-13 sm:pb-2">{name ?? address}</span>
          {layers.map(({ layer, label }) => (
            <Field
              key={layer}
              label={label}
              aria-label={`${label} of ${name ?? address}`}
              maxLength={40}
              value={nameOf(address)[layer] ?? ''}
              onChange={(value) => change(address, layer, value)}
            />
          ))}
        </div>
      ))}
    </fieldset>
  );
}
