<?php

// The shape of a framework's request: a controller asks a repository for twenty rows and encodes them as JSON.

declare(strict_types=1);

namespace App\Repository {
    final class GreetingRepository
    {
        /** @var array<int, array{id: int, name: string, tags: list<string>}> */
        private array $rows = [];

        public function __construct(int $size)
        {
            for ($id = 0; $id < $size; $id++) {
                $this->rows[$id] = ['id' => $id, 'name' => "greeting $id", 'tags' => ['t' . $id % 5, 't' . $id % 3]];
            }
        }

        /** @return array{id: int, name: string, tags: list<string>}|null */
        public function find(int $id): ?array
        {
            $row = $this->rows[$id % count($this->rows)] ?? null;
            if ($row === null) {
                return null;
            }
            $row['name'] = ucfirst($row['name']);

            return $row;
        }
    }
}

namespace App\Controller {
    use App\Repository\GreetingRepository;

    final class HelloController
    {
        private const ROWS = 20;

        public function __construct(private GreetingRepository $greetings)
        {
        }

        public function index(int $page): string
        {
            $found = [];
            for ($i = 0; $i < self::ROWS; $i++) {
                $found[] = $this->greetings->find($page * self::ROWS + $i);
            }

            return json_encode(['page' => $page, 'items' => $found], JSON_THROW_ON_ERROR);
        }
    }
}

namespace {
    require __DIR__ . '/lib/Budget.php';

    $budget = Workload\Budget::fromArguments($argv);
    $controller = new App\Controller\HelloController(new App\Repository\GreetingRepository(200));
    $page = 0;
    $sum = 0;
    $budget->begin();
    while ($budget->more()) {
        $sum = ($sum * 31 + strlen($controller->index($page))) % 1_000_003;
        $page = ($page + 1) % 1000;
    }
    $budget->end($sum);
}
