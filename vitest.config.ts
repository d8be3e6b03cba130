import { defineConfig } from 'vitest/config'

const whole = { statements: 100, branches: 100, functions: 100, lines: 100 }

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // Most tests wait for processes: two at a time keep two processors busy, and a machine with more is not asked for more.
    maxWorkers: 2,
    coverage: {
      include: ['src/**/*.ts'],
      // The command runs in processes of its own, where its tests look at what it prints.
      exclude: ['src/cli/**'],
      reporter: ['text-summary'],
      // What decides whether something may run is tested to the last branch.
      thresholds: { lines: 80, 'src/policy/**': whole, 'src/validate/**': whole },
    },
  },
})
