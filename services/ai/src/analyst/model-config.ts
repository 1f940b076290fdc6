export type ModelVendor = 'openai' | 'anthropic' | 'ollama';

/** The model that writes; absent: the rules. */
export type ModelConfig = {
  model: { vendor: ModelVendor; name: string } | undefined;
  baseUrl: string | undefined;
  apiKey: string | undefined;
  timeoutMs: number;
  retries: number;
  toolCalls: number;
  answerTokens: number;
  prices: { inputPerMillion: number; outputPerMillion: number } | undefined;
};
