import { defineConfig } from 'eslint/config';
import reactHooks from 'eslint-plugin-react-hooks';
import tseslint from 'typescript-eslint';

const noDefaultExport = {
  selector: 'ExportDefaultDeclaration',
  message: 'Export by name: then a thing has one name everywhere.',
};
const noRawHtml = {
  selector: "JSXAttribute[name.name='dangerouslySetInnerHTML']",
  message: 'What agents write must never become HTML; the policy of the page forbids it, too.',
};
const noProcessEnv = {
  selector: "MemberExpression[object.name='process'][property.name='env']",
  message: 'Only src/config/env.ts reads the environment, and src/client/client-settings.ts in programs of others.',
};

const noRecursiveMkdir = {
  selector: 'CallExpression[callee.name=/^mkdir(Sync)?$/] Property[key.name="recursive"]',
  message: 'It never ends below /proc and the like: makeFolder of src/common/make-folder.ts does.',
};
const notOwn = '[object.type!="ThisExpression"]';
/** The engine and the packages stay as they are: a trick that changes them breaks with their next version. */
const OFF_THE_ENGINE = [
  {
    selector: "AssignmentExpression > MemberExpression.left[object.property.name='prototype']",
    message: 'Extend a class instead of changing its prototype.',
  },
  ...[
    `MemberExpression[computed=false]${notOwn} > Identifier.property[name=/^_[a-z]/]`,
    `MemberExpression[computed=true]${notOwn} > Literal.property[value=/^_[a-z]/]`,
  ].map((selector) => ({ selector, message: 'A member that begins with _ is private to its package.' })),
  ...[
    'MemberExpression[property.name=/^(setFlagsFromString|startupSnapshot)$/]',
    'ImportSpecifier[imported.name=/^(setFlagsFromString|startupSnapshot)$/]',
  ].map((selector) => ({ selector, message: 'The engine runs as Node starts it.' })),
];

/** Things that are nearly always a slip, in any kind of file; TypeScript finds some of them only in its own. */
const MISTAKES = [
  'array-callback-return',
  'for-direction',
  'getter-return',
  'no-async-promise-executor',
  'no-class-assign',
  'no-cond-assign',
  'no-const-assign',
  'no-constant-binary-expression',
  'no-constructor-return',
  'no-debugger',
  'no-dupe-else-if',
  'no-dupe-keys',
  'no-duplicate-case',
  'no-empty',
  'no-empty-pattern',
  'no-ex-assign',
  'no-fallthrough',
  'no-func-assign',
  'no-global-assign',
  'no-new-func',
  'no-loss-of-precision',
  'no-prototype-builtins',
  'no-self-assign',
  'no-self-compare',
  'no-sparse-arrays',
  'no-unreachable',
  'no-unsafe-finally',
  'no-unsafe-negation',
  'no-useless-catch',
  'no-useless-escape',
  'use-isnan',
  'valid-typeof',
];

/** The flat configuration. ESLint no longer looks for this name by itself: `npm run lint` names it, eslint.config.js hands it on. */
export default defineConfig(
  { ignores: ['build/', 'dist/', 'coverage/', '.tmp/', 'node_modules/', '**/*.gen.ts', 'clients/*/dist/'] },
  {
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      ...Object.fromEntries(MISTAKES.map((rule) => [rule, 'error'])),
      // Sizes that deserve a look. Code that is cut so small that one must open ten files for one case is as bad.
      'max-lines': ['warn', 400],
      'max-lines-per-function': ['warn', 50],
      // Six are for the dependencies of a class; a function that takes more than four nearly always wants an object.
      'max-params': ['error', 6],
      'max-depth': ['error', 3],
      eqeqeq: 'error',
      'no-var': 'error',
      'prefer-const': 'error',
    },
  },
  {
    files: ['**/*.{ts,tsx}'],
    extends: [tseslint.configs.recommended],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      // Those that need types: a promise that nobody waits for loses its failure, or a write.
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { attributes: false } }],
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/no-unnecessary-type-assertion': 'error',
      'no-restricted-syntax': ['error', noDefaultExport, ...OFF_THE_ENGINE],
    },
  },
  {
    files: ['src/**/*.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          name: '@nestjs/swagger',
          importNames: ['PickType', 'OmitType', 'PartialType', 'IntersectionType'],
          message: 'It loads class-validator again, from files that are not in the bundle. Extend a class instead.',
        },
      ],
      'no-console': 'error',
      'no-restricted-syntax': ['error', noDefaultExport, noProcessEnv, noRecursiveMkdir, ...OFF_THE_ENGINE],
    },
  },
  {
    // The client runs in programs of others, which know nothing of this configuration.
    files: ['src/config/env.ts', 'src/client/client-settings.ts', 'src/**/*.spec.ts'],
    rules: { 'no-restricted-syntax': ['error', noDefaultExport, ...OFF_THE_ENGINE] },
  },
  {
    files: ['console/src/**/*.{ts,tsx}'],
    plugins: { 'react-hooks': reactHooks },
    rules: {
      ...reactHooks.configs.recommended.rules,
      // It is about the React Compiler, which the build does not use.
      'react-hooks/incompatible-library': 'off',
      'no-console': 'error',
      'no-restricted-syntax': ['error', noDefaultExport, noRawHtml, ...OFF_THE_ENGINE],
      'no-restricted-properties': ['error', { property: 'innerHTML', message: noRawHtml.message }],
      'no-restricted-imports': [
        'error',
        {
          name: 'react-aria-components',
          importNames: [
            'NumberField',
            'DateField',
            'TimeField',
            'DatePicker',
            'DateRangePicker',
            'Calendar',
            'RangeCalendar',
          ],
          message: 'It sets innerHTML, which the policy of the page forbids. Use a plain input.',
        },
      ],
    },
  },
  {
    // A component is markup as much as code.
    files: ['console/src/**/*.tsx'],
    rules: { 'max-lines-per-function': ['warn', 80] },
  },
  {
    // Each parameter of a handler is one input of the request, named by its decorator.
    files: ['src/**/*.controller.ts'],
    rules: { 'max-params': ['error', 8] },
  },
  {
    // What a service works with is named once, in its constructor; a group of them would only hide how many there are.
    files: ['src/**/*.service.ts'],
    rules: { 'max-params': ['warn', 6] },
  },
  {
    // A `describe` is one function, however many tests it holds.
    files: ['**/*.spec.ts', 'test/**/*.ts'],
    rules: { 'max-lines-per-function': 'off', 'max-params': ['error', 7] },
  },
  {
    // Their packages are installed by their tests only, which also check their types; the rules that need types would guess here.
    files: ['clients/**/*.ts'],
    extends: [tseslint.configs.disableTypeChecked],
    languageOptions: { parserOptions: { projectService: false } },
  },
  {
    files: ['**/*.{js,mjs}'],
    languageOptions: { globals: nodeGlobals() },
    rules: {
      'no-undef': 'error',
      'no-unused-vars': 'error',
      'no-restricted-syntax': ['error', ...OFF_THE_ENGINE],
    },
  },
);

/** The few names that plain scripts use without importing them. */
function nodeGlobals() {
  const names = ['process', 'console', 'URL', 'fetch', 'Buffer', 'performance', 'AbortSignal', 'AbortController'];
  const timers = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'setImmediate', 'structuredClone'];
  return Object.fromEntries(
    [...names, ...timers, 'TextDecoder', 'TextEncoder', 'TextDecoderStream', 'URLSearchParams', 'globalThis'].map(
      (name) => [name, 'readonly'],
    ),
  );
}
