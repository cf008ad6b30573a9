<?php
// What applications do with Laravel's database layer: the query builder, and Eloquent.
// usage: eloquent.php DSN DIRECT_DSN
declare(strict_types=1);

use Illuminate\Database\Capsule\Manager;
use Illuminate\Database\Eloquent\Model;
use Illuminate\Database\Schema\Blueprint;

require '/usr/share/php/Illuminate/Database/autoload.php';
require __DIR__ . '/common.php';

class Item extends Model
{
    public $timestamps = false;
    protected $guarded = [];
    protected $casts = ['sold' => 'bool', 'tags' => 'array'];

    public function parts()
    {
        return $this->hasMany(Part::class);
    }
}

class Part extends Model
{
    public $timestamps = false;
    protected $guarded = [];
}

[, $dsn, $direct] = $argv;
$parts = parts($dsn);
$manager = new Manager();
$manager->addConnection([
    'driver' => 'pgsql', 'host' => $parts['host'], 'port' => $parts['port'], 'database' => $parts['dbname'],
    'username' => $parts['user'], 'password' => '', 'charset' => 'utf8', 'schema' => 'public',
]);
$manager->setAsGlobal();
$manager->bootEloquent();
$db = $manager->getConnection();

$db->getSchemaBuilder()->create('items', function (Blueprint $table) {
    $table->id();
    $table->string('name')->unique();
    $table->decimal('price')->default(0);
    $table->boolean('sold');
    $table->json('tags');
});
$db->getSchemaBuilder()->create('parts', function (Blueprint $table) {
    $table->id();
    $table->foreignId('item_id');
    $table->string('name');
});
for ($i = 1; $i <= 30; $i++) {
    $item = Item::create(['name' => "item $i", 'price' => $i / 4, 'sold' => $i % 2 === 0, 'tags' => [$i, 'tag']]);
    $item->parts()->create(['name' => "part of $i"]);
}
for ($i = 1; $i <= 30; $i++) {
    show('found', Item::find($i)->toArray());
    show('built', $db->table('items')->where('name', "item $i")->where('sold', true)->value('price'));
}
Item::where('sold', true)->chunkById(4, fn ($items) => show('chunk', $items->pluck('name')->all()));
foreach (Item::where('id', '>', 20)->orderBy('id')->cursor() as $item) {
    show('cursor', $item->name);
}
show('eager', Item::with('parts')->whereIn('id', [1, 2, 3])->orderBy('id')->get()->toArray());
show('page', Item::orderBy('id')->forPage(3, 5)->pluck('name')->all());

// Transactions, savepoints, exceptions.
show('twice', thrown(fn () => Item::create(['name' => 'item 1', 'sold' => false, 'tags' => []])));
show('outer', thrown(fn () => $db->transaction(function () use ($db) {
    Item::whereKey(1)->update(['price' => 100]);
    show('inner', thrown(fn () => $db->transaction(function () {
        Item::whereKey(1)->update(['price' => 200]);
        Item::create(['name' => 'item 2', 'sold' => false, 'tags' => []]);
    })));
    show('between', Item::find(1)->price);
})));
show('after', Item::find(1)->price);
show('rolled back', thrown(fn () => $db->transaction(function () {
    Item::destroy(1);
    throw new DomainException();
})));
show('still there', Item::find(1)->price);

// A migration, and a connection that breaks: Laravel connects again by itself.
$db->getSchemaBuilder()->table('items', fn (Blueprint $table) => $table->string('note')->default('new'));
show('behind', Item::find(2)->toArray());
kill($direct, (int) $db->selectOne('SELECT pg_backend_pid() AS pid')->pid);
for ($i = 1; $i <= 5; $i++) {
    show('again', Item::find($i)->toArray());
}
kill($direct, (int) $db->selectOne('SELECT pg_backend_pid() AS pid')->pid);
show('lost', thrown(fn () => $db->transaction(fn () => Item::find(1))));
show('reconnected', thrown(fn () => $db->reconnect()));
show('at last', Item::count());
told();
