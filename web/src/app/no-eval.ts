import { z } from 'zod';

// zod probes for eval when it first builds a parser; the content policy forbids eval and would log the attempt.
z.config({ jitless: true });
