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
    // A type that comes round in a circle ties two files together as firmly as a value.
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
  // Of two overrides that set the same rule for a file, the last one wins whole: each rule has one for a file.
  overrides: [
    ...borderOverrides(),
    { files: ["src/log.ts", "scripts/**", "bench/**", "harness/**", "torture/**"], rules: { "no-console": "off" } },
    {
      files: ["test/**", "torture/**"],
      rules: { "max-lines-per-function": "off", "typescript/no-non-null-assertion": "off" },
    },
  ],
};
