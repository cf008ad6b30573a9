<?php
// Installs WordPress with thirty posts and ninety comments, the same each time.
define('WP_INSTALLING', true);
$_SERVER['HTTP_HOST'] = $_SERVER['SERVER_NAME'] = 'localhost';
$_SERVER['REQUEST_URI'] = '/wordpress/';
$_SERVER['REQUEST_METHOD'] = 'GET';
$_SERVER['SERVER_PROTOCOL'] = 'HTTP/1.1';
$_SERVER['REMOTE_ADDR'] = '127.0.0.1';
require '/usr/share/wordpress/wp-load.php';
require ABSPATH . 'wp-admin/includes/upgrade.php';
wp_install('Harbour', 'admin', 'admin@localhost.localdomain', true, '', 'admin');
switch_theme('twentytwentythree');

$words = explode(' ', 'a page of many words about ships and harbours where wind turns slowly while sailors count ropes'
    . ' telling each other stories from older days before steam');
mt_srand(7);
$text = function (int $count) use ($words): string {
    $out = [];
    while ($count-- > 0) {
        $out[] = $words[mt_rand(0, count($words) - 1)];
    }
    return ucfirst(implode(' ', $out)) . '.';
};
$categories = array_map('wp_create_category', ['Ships', 'Harbours', 'Ropes']);
for ($post = 1; $post <= 30; $post++) {
    $body = '';
    for ($paragraph = 0; $paragraph < 8; $paragraph++) {
        $body .= "<!-- wp:paragraph -->\n<p>{$text(60)} <strong>{$text(3)}</strong></p>\n<!-- /wp:paragraph -->\n\n";
    }
    $time = sprintf('2024-01-%02d 12:00:00', $post);
    $dates = ['post_date' => $time, 'post_date_gmt' => $time];
    $id = wp_insert_post($dates + [
        'post_title' => $text(5),
        'post_content' => $body,
        'post_status' => 'publish',
        'post_author' => 1,
        'post_category' => [$categories[$post % 3]],
        'tags_input' => [$words[$post % count($words)], $words[($post + 9) % count($words)]],
    ], true);
    if (is_wp_error($id)) {
        fwrite(STDERR, $id->get_error_message() . "\n");
        exit(1);
    }
    for ($comment = 0; $comment < 3; $comment++) {
        $author = $words[$comment + 5];
        wp_insert_comment([
            'comment_post_ID' => $id,
            'comment_author' => $author,
            // Without an address, WordPress draws the server of each picture.
            'comment_author_email' => "$author@localhost.localdomain",
            'comment_content' => $text(20),
            'comment_date' => $time,
            'comment_date_gmt' => $time,
            'comment_approved' => 1,
        ]);
    }
}
