import js from "@eslint/js";
import globals from "globals";

export default [
  js.configs.recommended,
  {
    languageOptions: { ecmaVersion: 2022, sourceType: "module", globals: globals.browser },
    rules: {
      eqeqeq: "error", "no-var": "error", "prefer-const": ["error", { destructuring: "all" }], "no-shadow": "error",
      "no-eval": "error", "no-implied-eval": "error", "no-unused-vars": ["error", { argsIgnorePattern: "^_" }],
    },
  },
];
