# A launcher that forwards standard input and output of the program behind it, badly.
#
# usage: perl forward.pl KIND SEED PROGRAM...
#
#   delay   small pieces, each a little late
#   end     the output ends somewhere, in order, in the midst of a frame
#   cut     the program and the launcher are killed somewhere
#   mute    from somewhere on nothing is forwarded, but nothing ends either
#   deaf    the same, and SIGTERM is ignored
#
# "Somewhere" is a number of bytes of output, drawn from SEED and the process's number.
use strict;
use warnings;
use IPC::Open2;
use IO::Select;

my ($kind, $seed, @program) = @ARGV;
my $pid = open2(my $from, my $to, @program);
srand($seed + $$);
my $left = 4000 + int(rand($kind =~ /mute|deaf/ ? 30000 : 20000));
$left = 1e18 if $kind eq 'delay';
$left = 20000 if $kind eq 'deaf';
$SIG{PIPE} = 'IGNORE';
$SIG{TERM} = $kind eq 'deaf' ? 'IGNORE' : sub { kill 'KILL', $pid; exit 0 };

sub forward {
    my ($out, $bytes) = @_;
    my $at = 0;
    while ($at < length $bytes) {
        my $piece = $kind eq 'delay' ? 1 + int(rand(1500)) : length $bytes;
        select(undef, undef, undef, 0.0005) if $kind eq 'delay';
        my $written = syswrite($out, $bytes, $piece, $at);
        return 0 unless defined $written;
        $at += $written;
    }
    return 1;
}

my $ready = IO::Select->new(\*STDIN, $from);
while (my @handles = $ready->can_read()) {
    for my $handle (@handles) {
        my $count = sysread($handle, my $bytes, 65536);
        my $is_input = fileno($handle) == 0;
        if (!$count) {
            if ($is_input) {
                $ready->remove($handle);
                close $to;
                next;
            }
            waitpid($pid, 0);
            exit($? & 127 ? 128 + ($? & 127) : $? >> 8);
        }
        if ($is_input) {
            forward($to, $bytes);
            next;
        }
        if ($count >= $left) {
            forward(\*STDOUT, substr($bytes, 0, $left)) if $kind ne 'mute';
            kill 'KILL', $pid if $kind ne 'mute';
            kill 'KILL', $$ if $kind eq 'cut';
            exit 0 if $kind eq 'end';
            sleep 1 while getppid() != 1;
            kill 'KILL', $pid;
            exit 0;
        }
        $left -= $count;
        forward(\*STDOUT, $bytes);
    }
}
