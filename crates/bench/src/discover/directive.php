<?php
// What annotations and attributes say, applied to a subject.

namespace PhperfBench;

final class Directive
{
    const NAMES = [
        'AfterClassMethods', 'AfterMethods', 'Assert', 'BeforeClassMethods', 'BeforeMethods', 'Executor', 'Format',
        'Groups', 'Iterations', 'OutputMode', 'OutputTimeUnit', 'ParamProviders', 'RetryThreshold', 'Revs', 'Skip',
        'Sleep', 'Subject', 'Timeout', 'Warmup',
    ];
    const LISTS = [
        'BeforeMethods' => 'before_methods',
        'AfterMethods' => 'after_methods',
        'ParamProviders' => 'providers',
        'Groups' => 'groups',
    ];
    const MOST_ITERATIONS = 4294967295;
    const CLASS_LISTS = ['BeforeClassMethods' => 'before_class', 'AfterClassMethods' => 'after_class'];
    const NUMBERS = ['Revs' => 'revs', 'Iterations' => 'iterations', 'Warmup' => 'warmup'];
    const VALUES = [
        'RetryThreshold' => ['retry_threshold', 'a number of percent'],
        'Sleep' => ['sleep', 'a whole number of microseconds'],
        'Timeout' => ['timeout', 'a number of seconds'],
        'Format' => ['format', 'a text'],
        'OutputMode' => ['mode', 'a text'],
    ];

    public static function known(string $name): ?string
    {
        foreach (self::NAMES as $known) {
            if (strcasecmp($known, $name) === 0) {
                return $known;
            }
        }
        return null;
    }

    /** The directives of an element's attributes. Their classes need not exist. */
    public static function attributes($reflection): array
    {
        if (PHP_VERSION_ID < 80000) {
            return [];
        }
        $directives = [];
        foreach ($reflection->getAttributes() as $attribute) {
            $parts = explode('\\', $attribute->getName());
            $name = count($parts) === 3 && strcasecmp($parts[0] . '\\' . $parts[1], 'PhpBench\Attributes') === 0
                ? self::known($parts[2])
                : null;
            if ($name !== null) {
                $directives[] = [$name, $attribute->getArguments()];
            }
        }
        return $directives;
    }

    /** The main value: the first positional one, or the first that has a name. */
    private static function main(string $name, array $values)
    {
        unset($values['extend'], $values['precision'], $values['config']);
        if ($values === []) {
            throw new \InvalidArgumentException("$name has no value");
        }
        return $values[0] ?? $values['value'] ?? reset($values);
    }

    /** Applies a directive to what is known of a subject; `$append` says whether lists grow without `extend`. */
    public static function apply(array &$subject, array $directive, bool $append): void
    {
        [$name, $values] = $directive;
        if ($name === 'Skip') {
            $subject['skip'] = true;
            return;
        }
        if ($name === 'Subject' || isset(self::CLASS_LISTS[$name])) {
            return;
        }
        $main = self::main($name, $values);
        if (isset(self::LISTS[$name])) {
            $key = self::LISTS[$name];
            $before = $append || ($values['extend'] ?? false) === true ? $subject[$key] : [];
            $subject[$key] = array_merge($before, array_map('strval', array_values((array) $main)));
        } elseif (isset(self::NUMBERS[$name])) {
            $subject['sampling'][self::NUMBERS[$name]] = array_map(function ($number) use ($name) {
                if (!is_int($number) || $number < 0 || $name === 'Iterations' && $number > self::MOST_ITERATIONS) {
                    throw new \InvalidArgumentException("$name takes whole numbers");
                }
                return $number;
            }, array_values((array) $main));
        } elseif (isset(self::VALUES[$name])) {
            [$key, $what] = self::VALUES[$name];
            $subject['sampling'][$key] = self::checked($name, $main, $what);
        } elseif ($name === 'Assert') {
            $subject['sampling']['assert'][] = (string) $main;
        } elseif ($name === 'OutputTimeUnit') {
            $subject['sampling']['time_unit'] = self::checked($name, $main, 'a text');
            $precision = $values['precision'] ?? $values[1] ?? null;
            if ($precision !== null && (!is_int($precision) || $precision < 0 || $precision > 20)) {
                throw new \InvalidArgumentException("the precision of $name is a whole number up to 20");
            }
            $subject['sampling']['precision'] = $precision;
        } elseif ($name === 'Executor') {
            $config = $values['config'] ?? $values[1] ?? array_diff_key($values, [0 => 0, 'value' => 0, 'name' => 0]);
            $subject['sampling']['executor'] = ['name' => (string) $main, 'config' => (object) $config];
        }
    }

    /** A value of the kind that a directive takes. */
    private static function checked(string $name, $value, string $what)
    {
        $kinds = [
            'a text' => is_string($value),
            'a whole number of microseconds' => is_int($value) && $value >= 0,
        ];
        if (!($kinds[$what] ?? (is_int($value) || is_float($value)))) {
            throw new \InvalidArgumentException("$name takes $what");
        }
        return $value;
    }

    /** Hooks of the class. */
    public static function applyToClass(array &$class, array $directive): void
    {
        [$name, $values] = $directive;
        if (isset(self::CLASS_LISTS[$name])) {
            $class[self::CLASS_LISTS[$name]] = array_map('strval', array_values((array) self::main($name, $values)));
        }
    }
}
