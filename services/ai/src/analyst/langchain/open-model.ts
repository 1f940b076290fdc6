import type { BaseChatModel } from '@langchain/core/language_models/chat_models';
import type { ModelConfig } from '../model-config.ts';

export type ChosenModel = ModelConfig & { model: NonNullable<ModelConfig['model']> };

/** Where no key is configured, none is taken from the environment either: it would go to whatever server is configured. */
const noKey = 'none';

/** The model of the configuration. Vendors' libraries are large, so only the one that is used is loaded. */
export async function openModel({ model, baseUrl, apiKey = noKey, answerTokens }: ChosenModel): Promise<BaseChatModel> {
  const common = { model: model.name, maxRetries: 0 };
  switch (model.vendor) {
    case 'openai': {
      const { ChatOpenAI } = await import('@langchain/openai');
      const configuration = baseUrl === undefined ? {} : { baseURL: baseUrl };
      return new ChatOpenAI({ ...common, apiKey, maxTokens: answerTokens, streamUsage: true, configuration });
    }
    case 'anthropic': {
      const { ChatAnthropic } = await import('@langchain/anthropic');
      const url = baseUrl === undefined ? {} : { anthropicApiUrl: baseUrl };
      return new ChatAnthropic({ ...common, apiKey, maxTokens: answerTokens, ...url });
    }
    case 'ollama': {
      const { ChatOllama } = await import('@langchain/ollama');
      const url = baseUrl === undefined ? {} : { baseUrl };
      return new ChatOllama({ ...common, numPredict: answerTokens, ...url });
    }
  }
}
