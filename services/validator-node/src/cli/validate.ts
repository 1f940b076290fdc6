import { NodeConfigError } from '../config/faults.ts';
import { readNodeConfig } from '../config/load.ts';
import { chainsTemplate, configurationPage, nodeTemplate, printConfig } from '../config/print.ts';
import { type Command, configOptions, configSource, jsonOption, jsonText } from './world.ts';

export const validateCommand: Command = {
  name: 'validate',
  options: {
    ...configOptions,
    template: { type: 'boolean', about: 'print a config.toml to start from instead' },
    'chains-template': { type: 'boolean', about: 'print a chains.toml to start from instead' },
    docs: { type: 'boolean', about: 'print the page that explains every key instead' },
    json: { ...jsonOption.json, about: 'print the faults as JSON, without the configuration' },
  },
  async run(world, options) {
    if (options.template || options['chains-template'] || options.docs) {
      world.out(options.template ? nodeTemplate() : options.docs ? configurationPage() : chainsTemplate());
      return 0;
    }
    const source = configSource(world, options);
    const { faults, effective } = readNodeConfig(source);
    if (options.json) {
      world.out(jsonText({ ok: faults.length === 0, faults }));
      return faults.length === 0 ? 0 : 2;
    }
    world.out(printConfig(effective));
    if (faults.length > 0) {
      world.err(`\n${new NodeConfigError(faults).message}\n`);
      return 2;
    }
    world.err(`\n${source.file} is valid.\n`);
    return 0;
  },
};
