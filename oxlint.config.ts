import { borderOverrides } from "./scripts/borders.mjs";

export default {
  plugins: ["typescript", "unicorn", "oxc", "import"],
  categories: { correctness: "error", suspicious: "error" },
  ignorePatterns: ["src/env.d.ts", "migrations"],
  rules: {
    curly: ["error", "multi-line"],
    eqeqeq: "error",
    "no-console": "error",
    "max-lines": ["error", { max: 300 }],
    "max-lines-per-function": ["error", { max: 70, skipBlankLines: true, skipComments: true, IIFEs: true }],
    "no-shadow": "off",
    // A circle of type imports couples two files as tightly as one of values.
    "import/no-cycle": ["error", { ignoreTypes: false }],
    "import/no-unassigned-import": "off",
    "typescript/no-explicit-any": "error",
    "typescript/no-non-null-assertion": "error",
    "typescript/no-floating-promises": "error",
    "typescript/no-misused-promises": "error",
    "typescript/await-thenable": "error",
    "typescript/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],
    "typescript/consistent-return": "off",
    "typescript/no-misused-spread": "off",
    "typescript/no-unsafe-type-assertion": "off",
    "typescript/consistent-type-imports": "error",
  },
  // If two overrides set the same rule for a file, only the last one applies, so for each file only one may set a rule.
  overrides: [
    ...borderOverrides(),
    // Made from the API's document.
    { files: ["sdk/src/operations.ts"], rules: { "max-lines": "off" } },
    {
      files: ["src/log.ts", "scripts/**", "bench/**", "harness/**", "torture/**", "tts-local/**"],
      rules: { "no-console": "off" },
    },
    {
      files: ["test/**", "torture/**"],
      rules: { "max-lines-per-function": "off", "typescript/no-non-null-assertion": "off" },
    },
  ],
};
