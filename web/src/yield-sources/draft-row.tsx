import { X } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { Button } from '../design/button.tsx';
import { Choice } from '../design/choice.tsx';
import { explain } from '../design/explain.ts';
import { Field } from '../design/field.tsx';
import { Pill } from '../design/pill.tsx';
import { Skeleton } from '../design/states.tsx';
import { sameAddress } from '../format/address.ts';
import type { Shown } from '../vault/vault-gate.tsx';
import type { Draft, DraftFault, Known } from './pairs.ts';
import {
  type Facts,
  type OwnOracles,
  oracleFor,
  pricing,
  type Remark,
  remarksOn,
  sentenceOf,
  usersOf,
  useSourceFacts,
} from './source-facts.ts';
import type { Listing } from './types.ts';

type Props = {
  shown: Shown;
  known: Known;
  row: Draft;
  number: number;
  fault: DraftFault | undefined;
  oracles: Listing['oracles'];
  ownOracles: OwnOracles;
  onChange: (draft: Partial<Draft>) => void;
  onRemove: (() => void) | undefined;
};

/** A source and its oracle as they are typed, with what the chain says of the source. */
export function DraftRow({ shown, known, row, number, fault, oracles, ownOracles, onChange, onRemove }: Props) {
  const common = { mono: true, placeholder: '0x', autoComplete: 'off', className: 'flex-1 basis-72' } as const;
  const facts = useSourceFacts(shown, row.source, known);
  useFilledOracle(row, facts.data, ownOracles, onChange);
  const remarks = facts.data === undefined ? [] : remarksOn(facts.data, row, shown.vault);
  const against = (what: Remark['about']) =>
    remarks.find(({ tone, about }) => tone === 'critical' && about === what)?.text;
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-start gap-3">
        <Field
          {...common}
          label={`Source ${number}`}
          value={row.source}
          onChange={(source) => onChange({ source })}
          error={fault?.source ?? against('source')}
        />
        <Field
          {...common}
          label={`Oracle ${number}`}
          value={row.oracle}
          onChange={(oracle) => onChange({ oracle })}
          error={fault?.oracle ?? against('oracle')}
          suggestions={oracles.map(({ oracle_address }) => oracle_address)}
        />
        {onRemove === undefined ? null : (
          <Button look="quiet" aria-label={`Take row ${number} out`} onPress={onRemove} className="sm:mt-6">
            <X size={16} aria-hidden="true" />
          </Button>
        )}
      </div>
      {facts.data === undefined ? null : (
        <OracleChoice row={row} facts={facts.data} own={ownOracles} number={number} onChange={onChange} />
      )}
      <FactsLine shown={shown} row={row} facts={facts} remarks={remarks} number={number} />
    </div>
  );
}

/** Fills an oracle of this vault in once for each source, where none was typed. */
function useFilledOracle(row: Draft, facts: Facts | undefined, own: OwnOracles, onChange: Props['onChange']) {
  const filledFor = useRef<string>(undefined);
  const source = facts?.source_address;
  const isBlank = row.oracle.trim() === '';
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is filled in when the answer for another source comes, and not again
  useEffect(() => {
    if (facts === undefined || filledFor.current === source) return;
    filledFor.current = source;
    const oracle = oracleFor(facts, own);
    if (isBlank && oracle !== undefined) onChange({ oracle });
  }, [source]);
}

type ChoiceProps = { row: Draft; facts: Facts; own: OwnOracles; number: number; onChange: Props['onChange'] };

/** Oracles that price the source, for the person to choose from. */
function OracleChoice({ row, facts, own, number, onChange }: ChoiceProps) {
  const offered = facts.is_contract ? pricing(facts) : [];
  if (offered.length === 0) return null;
  const chosen = offered.find(({ oracle_address }) => sameAddress(oracle_address, row.oracle.trim()));
  return (
    <div className="flex flex-col gap-1">
      <Choice
        label={`Oracles that price source ${number}`}
        value={chosen?.oracle_address ?? ''}
        options={[
          { value: '', label: 'None of these' },
          ...offered.map((oracle) => ({
            value: oracle.oracle_address,
            label: `${oracle.oracle_address}: ${usersOf(oracle, own)}`,
          })),
        ]}
        onChange={(oracle) => onChange({ oracle })}
      />
      <p className="text-12 text-muted">
        Anybody can create a vault, so how many use an oracle is no advice. An oracle says what the holding is worth.
      </p>
    </div>
  );
}

type LineProps = {
  shown: Shown;
  row: Draft;
  facts: ReturnType<typeof useSourceFacts>;
  remarks: readonly Remark[];
  number: number;
};

function FactsLine({ shown, row, facts: { data, error, isLoading }, remarks, number }: LineProps) {
  if (isLoading) return <Skeleton className="h-5 w-72 max-w-full" />;
  if (error !== null)
    return <p className="text-12 text-danger">{`The chain was not asked about it: ${explain(error).detail}`}</p>;
  if (data === undefined) return null;
  return (
    <div role="status" aria-label={`What the chain says of source ${number}`} className="flex flex-col gap-1 text-13">
      {data.is_contract ? <p className="break-words text-muted">{sentenceOf(data)}</p> : null}
      {remarks.map(({ tone, text }) =>
        // What is critical stands at its field.
        tone === 'critical' ? null : (
          <p key={text} className="break-words text-brass">
            {text}
          </p>
        ),
      )}
      {remarks.length > 0 ? null : (
        <span>
          <Pill tone="ok" title={`At block ${data.block_number}. What a contract says of itself is not proven.`}>
            {row.oracle.trim() === ''
              ? `Its asset is ${shown.vault.asset.symbol}, that of the vault`
              : `Fits: its asset is ${shown.vault.asset.symbol}, the oracle beside it prices it`}
          </Pill>
        </span>
      )}
    </div>
  );
}
